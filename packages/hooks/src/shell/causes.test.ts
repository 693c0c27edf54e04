import { expect, it } from 'vitest'
import { readCommand } from './index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }

/** Everything that may be written according to the facts: by path, pattern or name. */
function found(command: string): readonly (string | undefined)[] {
  const { writes, named } = readCommand(command, PLACE)
  return [...writes, ...named].map(({ path, pattern }) => path ?? pattern)
}

it.each([
  ['f=(x a.js); cp "${f[@]}"', '/w/a.js'],
  ['echo a.js > n; cp x $(< n)', '/w/a.js'],
  ['cd s*; : > a.js', '/w/s*/a.js'],
  ['mkdir n; touch n/a.js; cp -r n/. src', '/w/src/a.js'],
  ['cp -b -S .js x a', '/w/a.js'],
  ['mv --suffix=.js -b x a', '/w/a.js'],
  ['sed -i.js s/a/b/ a', '/w/a.js'],
  ["sed -i'b/*' s/a/b/ a.js", '/w/b/a.js'],
  ["perl -i.js -pe 's/a/b/' a", '/w/a.js'],
  ['ln a.js x; : > x', '/w/a.js'],
  ['cp -l a.js x; : > x', '/w/a.js'],
  ['ln -s src x; touch x/a.js', '/w/src/a.js'],
  ['cp x /proc/self/cwd/a.js', '/w/a.js'],
  ['echo a.js | xargs -i cp x {}', '/w/a.js'],
  ["echo 'cp x a.js' | xargs -I{} bash -c {}", '/w/a.js'],
  ["split --filter='cat > a.js' x", '/w/a.js'],
  ['xxd -r - a.js < x', '/w/a.js'],
  ['strace -o a.js true', '/w/a.js'],
  ['/usr/bin/time -o a.js true', '/w/a.js'],
  ['git checkout old src/a.js', '/w/src/a.js'],
  ["git config alias.x '!cp x a.js'; git x", '/w/a.js'],
  ['curl -T x file:///w/a.js', '/w/a.js'],
  ['zip -m x.zip a.js', '/w/a.js'],
  ['printf \'#!/usr/bin/env node\\nrm("a.js")\' > go; ./go', '/w/a.js'],
  ["echo 'cp x a.js' > s; BASH_ENV=s bash -c :", '/w/a.js'],
  ['echo \'fs.rmSync("a.js")\' > s.cjs; node -r ./s.cjs -e 0', '/w/a.js'],
  ["x='a[$(cp x a.js)]'; (( x ))", '/w/a.js'],
  ["read 'a[$(cp x a.js)]'", '/w/a.js'],
  ['flock . -c "cp x a.js"', '/w/a.js'],
  ['setpriv --nnp cp x a.js', '/w/a.js'],
  ['env - cp x a.js', '/w/a.js'],
  ['hash -p /bin/cp cat; cat x a.js', '/w/a.js'],
])('%s: finds %s', (command, path) => {
  expect(found(command)).toContain(path)
})
