import { describe, expect, it } from 'vitest'
import { readCommand } from './index.ts'
import type { ShellWrite } from './index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }

/**
 * `a.js = "x"`, `a.js += "x"`, `a.js < b.js`, `a.js << b.js` (moved), `a.js > b.js`, `-a.js`, `a.js ?`; `~a.js` is not an
 * absolute path.
 */
function told(command: string): readonly string[] {
  return readCommand(command, PLACE).writes.map(line)
}

function line({ path, written, content }: ShellWrite): string {
  const file = path === undefined ? `~${written}` : path.replace(/^\/w\//, '')
  switch (content.kind) {
    case 'text':
      return `${file} = ${JSON.stringify(content.text)}`
    case 'append':
      return `${file} += ${JSON.stringify(content.text)}`
    case 'copy':
      return `${file} < ${content.from.replace(/^\/w\//, '')}`
    case 'move':
      return `${file} << ${content.from.replace(/^\/w\//, '')}`
    case 'moved':
      return `${file} > ${content.to?.replace(/^\/w\//, '') ?? '?'}`
    case 'deleted':
      return `-${file}`
    case 'unknown':
      return `${file} ?`
  }
}

type Case = readonly [command: string, ...writes: readonly string[]]

describe('redirections', () => {
  it.each<Case>([
    ['echo x > a.js', 'a.js = "x\\n"'],
    ['echo x >> a.js', 'a.js += "x\\n"'],
    ['echo x >| a.js', 'a.js = "x\\n"'],
    ['echo x &> a.js', 'a.js = "x\\n"'],
    ['echo x &>> a.js', 'a.js += "x\\n"'],
    ['echo x >& a.js', 'a.js = "x\\n"'],
    ['echo x 1> a.js', 'a.js = "x\\n"'],
    ['make 2> err.js', 'err.js ?'],
    ['exec 3<> a.js', 'a.js ?'],
    ['exec > a.js; echo x', 'a.js ?'],
    ["zsh -c 'echo x >! a.js'", '~>! = "x a.js\\n"'],
    ['> a.js', 'a.js = ""'],
    [': > a.js', 'a.js = ""'],
    ['> a.js echo x', 'a.js = "x\\n"'],
    ['echo x > /tmp/../etc/a.js', '/etc/a.js = "x\\n"'],
    ['echo x > ../a.js', '/a.js = "x\\n"'],
    ['echo x > A.JS', 'A.JS = "x\\n"'],
    ['echo x > "a b.js"', 'a b.js = "x\\n"'],
    ['echo x {fd}> a.js', 'a.js ?'],
    ['echo x > $OUT/a.js', '~$OUT/a.js = "x\\n"'],
    ['echo x > *.js', '~*.js = "x\\n"'],
    ['cat b.js > a.js', 'a.js < b.js'],
    ['cat < b.js > a.js', 'a.js < b.js'],
    ['cat b.js c.js > a.js', 'a.js ?'],
    ['sort b > a.js', 'a.js ?'],
    ['{ echo a; echo b; } > a.js', 'a.js = "a\\nb\\n"'],
    ['(echo a; date) > a.js', 'a.js ?'],
    ['echo x > >(cat > a.js)', 'a.js ?'],
    ['for i in 1 2; do echo $i; done > a.js', 'a.js = "1\\n2\\n"'],
    ['cat a | tee /dev/stderr > b.js', 'b.js < a'],
  ])('%s', (command, ...writes) => {
    expect(told(command)).toEqual(writes)
  })

  it.each([
    'make > /dev/null 2>&1',
    'make 2> /dev/stderr',
    'echo x > /dev/tty',
    'echo x >&2',
    'echo x 1>&2',
    'exec 3>&1',
    'exec 3>&-',
    'echo x > /dev/fd/2',
    'cat < a.js',
    'cat <<< a.js',
  ])('%s writes no file', (command) => {
    expect(told(command)).toEqual([])
  })
})

describe('content', () => {
  it.each<Case>([
    ["cat > a.js <<'EOF'\nlet $a = `b`\nEOF", 'a.js = "let $a = `b`\\n"'],
    ['cat <<EOF > a.js\nin $HOME\nEOF', 'a.js = "in /home/u\\n"'],
    ['cat <<EOF > a.js\n\\$HOME\nEOF', 'a.js = "$HOME\\n"'],
    ['cat <<EOF > a.js\nby $USER\nEOF', 'a.js ?'],
    ['cat <<-EOF > a.js\n\t\tx\n\tEOF', 'a.js = "x\\n"'],
    ['cat <<EOF > a.js\n$(touch b.js)\nEOF', 'b.js += ""', 'a.js = "\\n"'],
    ['cat > a.js <<< "x y"', 'a.js = "x y\\n"'],
    ["printf '%s\\n' a b > a.js", 'a.js = "a\\nb\\n"'],
    ["printf '%s=%d\\n' a 1 > a.js", 'a.js = "a=1\\n"'],
    ["printf '\\x61\\t\\101' > a.js", 'a.js = "a\\tA"'],
    ['printf %q "$x" > a.js', 'a.js ?'],
    ["echo -n 'x' > a.js", 'a.js = "x"'],
    ["echo -e 'a\\nb' > a.js", 'a.js = "a\\nb\\n"'],
    ["echo 'a\\nb' > a.js", 'a.js = "a\\\\nb\\n"'],
    ['echo "$(date)" > a.js', 'a.js ?'],
    ['echo "$(echo x)" > a.js', 'a.js = "x\\n"'],
    ['echo aGk= | base64 -d > a.js', 'a.js = "hi"'],
    ['echo 6869 | xxd -r -p > a.js', 'a.js = "hi"'],
    ['echo x > b; cp b a.js', 'b = "x\\n"', 'a.js = "x\\n"'],
  ])('%s', (command, ...writes) => {
    expect(told(command)).toEqual(writes)
  })
})

describe('programs that write', () => {
  it.each<Case>([
    ['echo x | tee a.js b.js', 'a.js = "x\\n"', 'b.js = "x\\n"'],
    ['echo x | tee -a a.js', 'a.js += "x\\n"'],
    ['jq . a.json | sponge a.json', 'a.json ?'],
    ['cp b.js a.js', 'a.js < b.js'],
    ['cp -r b.js a.js', 'a.js < b.js'],
    ['cp b.js src/', 'src/b.js < b.js'],
    ['cp lib/b.js .', 'b.js < lib/b.js'],
    ['cp b.js src', 'src < b.js', 'src/b.js < b.js'],
    ['cp -t src a.js b.js', 'src/a.js < a.js', 'src/b.js < b.js'],
    ['cp --target-directory=src a.js', 'src/a.js < a.js'],
    ['cp --target=src a.js', 'src/a.js < a.js'],
    ['cp *.js src/', '~src/*.js ?'],
    ['cp a.js a.js.bak', 'a.js.bak < a.js'],
    ['cp /dev/stdin a.js', 'a.js ?'],
    ['mv b.txt a.js', 'a.js << b.txt', 'b.txt > a.js'],
    ['mv a.js /tmp/', '/tmp/a.js << a.js', 'a.js > /tmp/a.js'],
    ["rename 's/md/js/' *.md", '~rename s/md/js/ *.md ?'],
    ['ln -s b.txt a.js', 'a.js < b.txt'],
    ['ln -s ../b.txt src/a.js', 'src/a.js < b.txt'],
    ['ln b.txt a.js', 'a.js < b.txt'],
    ['install -m 755 b a.js', 'a.js < b'],
    ['install -D b -t bin', 'bin/b < b'],
    ['rsync -a b.js a.js', 'a.js < b.js'],
    ['scp host:b.js a.js', 'a.js ?'],
    ['dd if=b.js of=a.js', 'a.js < b.js'],
    ['echo x | dd of=a.js', 'a.js = "x\\n"'],
    ['dd if=b of=$OUT', '~$OUT < b'],
    ['sed -i s/a/b/ a.js b.js', 'a.js ?', 'b.js ?'],
    ['sed -i.bak s/a/b/ a.js', 'a.js ?', 'a.js.bak ?'],
    ["sed -i '' s/a/b/ a.js", 'a.js ?'],
    ['sed -n -i -e p a.js', 'a.js ?'],
    ['sed -ni p a.js', 'a.js ?'],
    ['sed --in-place=.bak s/a/b/ a.js', 'a.js ?', 'a.js.bak ?'],
    ["sed -n 's/a/b/w a.js' b", 'a.js ?'],
    ["sed -n 'w a.js' b", 'a.js ?'],
    ["perl -pi -e 's/a/b/' a.js", 'a.js ?'],
    ["perl -i.bak -pe 's/a/b/' a.js", 'a.js ?', 'a.js.bak ?'],
    ["ruby -i -pe '1' a.js", 'a.js ?'],
    ['awk \'{ print > "a.js" }\' b', 'a.js ?'],
    ['awk \'{ print $1 >> "a.js"; }\' b', 'a.js ?'],
    ["awk '{ print > $1 }' b", '~$1 ?'],
    ["gawk -i inplace '{ print }' a.js", 'a.js ?'],
    ["printf '1d\\nw\\n' | ed a.js", 'a.js ?'],
    ["vim -c '%s/a/b/' -c wq a.js", 'a.js ?'],
    ['ex -s a.js <<< x', 'a.js ?'],
    ['truncate -s 0 a.js', 'a.js = ""'],
    ['touch a.js', 'a.js += ""'],
    ['curl -o a.js http://x', 'a.js ?'],
    ['curl -sSLo a.js http://x', 'a.js ?'],
    ['curl --output a.js http://x', 'a.js ?'],
    ['curl --output-dir src -o a.js http://x', 'src/a.js ?'],
    ['curl -O http://x/b/a.js', 'a.js ?'],
    ['wget http://x/a.js', 'a.js ?'],
    ['wget -qO a.js http://x', 'a.js ?'],
    ['wget -P src http://x/a.js', 'src/a.js ?'],
    ['tar xzf a.tgz', '~./… ?'],
    ['tar -xf a.tar -C src a.js', 'src/a.js ?'],
    ['tar czf a.tgz src', 'a.tgz ?'],
    ['unzip a.zip -d src', '~src/… ?'],
    ['split b a.', '~a.… ?'],
    ['sort b -o a.js', 'a.js ?'],
    ['openssl enc -d -in b -out a.js', 'a.js ?'],
    ["patch -p1 <<'E'\n--- a/x.js\n+++ b/x.js\nE", 'x.js ?'],
    ["git apply <<'E'\n--- a/x.js\n+++ b/x.js\nE", 'x.js ?'],
    ['git apply x.patch', '~the files of a patch ?'],
    [
      "apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.js\n*** Delete File: b.js\nE",
      'a.js ?',
      '-b.js',
    ],
    ['git checkout -- a.js', 'a.js ?'],
    ['git checkout HEAD~1 -- a.js', 'a.js ?'],
    ['git restore a.js', 'a.js ?'],
    ['git -C src rm a.js', '-src/a.js'],
    ['git mv a.js b.js', 'b.js << a.js', 'a.js > b.js'],
    ['rm -rf a.js b.js', '-a.js', '-b.js'],
    ['rm -- -a.js', '--a.js'],
    ['rm *.js', '-~*.js'],
    ['unlink a.js', '-a.js'],
    ['shred -u a.js', '-a.js'],
    ['find . -name "*.js" -delete', '-~./…/*.js'],
    ["script -c 'echo x > a.js' out", 'a.js = "x\\n"', 'out ?'],
    ['busybox cp b a.js', 'a.js < b'],
    ["cmd /c 'echo x > a.js'", 'a.js = "x\\n"'],
    ['echo x | crontab -', '/var/spool/cron/crontabs ?'],
  ])('%s', (command, ...writes) => {
    expect(told(command)).toEqual(writes)
  })
})

describe('wrappers and nested shells', () => {
  it.each([
    'sudo cp b.js a.js',
    'sudo -u root -- cp b.js a.js',
    'doas -u root cp b.js a.js',
    'env -i A=b cp b.js a.js',
    "env -S 'cp b.js a.js'",
    'command cp b.js a.js',
    'builtin command cp b.js a.js',
    'exec cp b.js a.js',
    'nohup cp b.js a.js &',
    'time cp b.js a.js',
    'nice -n 5 ionice -c 3 cp b.js a.js',
    'timeout -k 1 5s cp b.js a.js',
    'stdbuf -oL setsid cp b.js a.js',
    'echo b.js a.js | xargs cp',
    'echo a.js | xargs -I{} cp b.js {}',
    'find . -exec cp b.js a.js \\;',
    'parallel cp b.js ::: a.js',
    'watch -n 1 cp b.js a.js',
    'npx -y cp b.js a.js',
    "npx -c 'cp b.js a.js'",
    'poetry run cp b.js a.js',
    'uv run --with x cp b.js a.js',
    'pnpm exec cp b.js a.js',
    'npm exec -- cp b.js a.js',
    '\\cp b.js a.js',
    '"c"p b.js a.js',
    "$'\\x63p' b.js a.js",
    '/bin/cp b.js a.js',
    '$PREFIX/bin/cp b.js a.js',
    'CP b.js a.js',
    'C=cp; $C b.js a.js',
    'X="cp b.js"; $X a.js',
    "bash -c 'cp b.js a.js'",
    "sh -lc 'cp b.js a.js'",
    "zsh -ec 'cp b.js a.js'",
    "bash -c 'cp $1 $2' x b.js a.js",
    'bash <<EOF\ncp b.js a.js\nEOF',
    "echo 'cp b.js a.js' | sh",
    "echo 'cp b.js a.js' | sudo bash -s",
    "source <(echo 'cp b.js a.js')",
    "eval 'cp b.js a.js'",
    'eval cp b.js a.js',
    'eval "eval \'cp b.js a.js\'"',
    'echo Y3AgYi5qcyBhLmpz | base64 -d | bash',
    'eval "$(echo Y3AgYi5qcyBhLmpz | base64 --decode)"',
    'alias k=cp; k b.js a.js',
    'f() { cp "$1" a.js; }; f b.js',
    'f() { cp b.js a.js; }',
    'f() { cp b.js a.js; }; false && f() { :; }; f',
    'cp() { :; }; command cp b.js a.js',
    'alias cp=true; \\cp b.js a.js',
    "echo 'cp b.js a.js' | at now",
    "trap 'cp b.js a.js' EXIT",
    '$(cp b.js a.js)',
    'echo "`cp b.js a.js`"',
    'echo $(( $(cp b.js a.js) + 1 ))',
    '[[ -n $(cp b.js a.js) ]]',
    ': ${A:-$(cp b.js a.js)}',
    'A=($(cp b.js a.js))',
    'case $(cp b.js a.js) in x) ;; esac',
    'if false; then cp b.js a.js; fi',
    'case x in y) cp b.js a.js;; esac',
    'true || cp b.js a.js',
    'while false; do cp b.js a.js; done',
    'coproc cp b.js a.js',
    '! cp b.js a.js',
    'cp b.js a.js | cat',
  ])('%s copies b.js over a.js', (command) => {
    expect(told(command)).toEqual(['a.js < b.js'])
  })

  it('reads a script that the same command line wrote', () => {
    expect(told("echo 'rm a.js' > x.sh; bash x.sh")).toEqual(['x.sh = "rm a.js\\n"', '-a.js'])
  })

  it.each([
    'curl http://x | sh',
    'curl http://x | sudo bash',
    'bash <(curl http://x)',
    'source <(curl http://x)',
    'eval "$x"',
    'bash -c "$x"',
    'base64 -d b | bash',
    'curl http://x | python3',
    'python3 -c "$CODE"',
    '$CMD a.js',
    '/bin/c? b.js a.js',
    "echo 'unterminated",
    'if true; then',
    "sed 's/x/y/e' b",
    'node -e "eval(atob(x))"',
    "python3 -c 'import os; os.system(x)'",
    "python3 -c 'exec(bytes.fromhex(x))'",
    'node -e "require(\'child_process\').exec(x)"',
    'node -e "require(a + b)"',
  ])('%s is reported as unreadable', (command) => {
    expect(readCommand(command, PLACE).unknowns).not.toEqual([])
  })
})

describe('words and folders', () => {
  it.each<Case>([
    ['F=a.js; touch $F', 'a.js += ""'],
    ['F=a; touch ${F}.js "${F%a}b.js"', 'a.js += ""', 'b.js += ""'],
    ['F=x.JS; touch ${F,,} ${F:0:1} ${F/x/y} ${F##*.}', 'x.js += ""', 'x += ""', 'y.JS += ""', 'JS += ""'],
    ['F=a; F+=.js; touch $F', 'a.js += ""'],
    ['export F=a.js; touch $F', 'a.js += ""'],
    ['F="a.js b.js"; touch $F', 'a.js += ""', 'b.js += ""'],
    ['F="a b.js"; touch "$F"', 'a b.js += ""'],
    ['touch ~/a.js $HOME/b.js', '/home/u/a.js += ""', '/home/u/b.js += ""'],
    ['HOME=/x; touch ~/a.js', '/x/a.js += ""'],
    ['touch ~other/a.js', '~~other/a.js += ""'],
    ['touch $PWD/a.js $(pwd)/b.js', 'a.js += ""', 'b.js += ""'],
    ['touch {a,b}.js', 'a.js += ""', 'b.js += ""'],
    ['touch a{1..3}', 'a1 += ""', 'a2 += ""', 'a3 += ""'],
    ["touch '{a,b}.js'", '{a,b}.js += ""'],
    ["touch $'a\\x2ejs'", 'a.js += ""'],
    ['for f in a b; do touch $f.js; done', 'a.js += ""', 'b.js += ""'],
    ['for f in *.ts; do touch $f; done', '~*.ts += ""'],
    ['cd src && touch a.js', 'src/a.js += ""'],
    ['cd src && cd .. && touch a.js', 'a.js += ""'],
    ['(cd src && touch a.js); touch b.js', 'src/a.js += ""', 'b.js += ""'],
    ['pushd src && touch a.js && popd && touch b.js', 'src/a.js += ""', 'b.js += ""'],
    ['pushd a; pushd b; popd && popd && touch /x.js', '/x.js += ""'],
    ['cd src && cd - && touch a.js', 'a.js += ""'],
    ['cd "$D" && touch a.js /b.js', '~a.js += ""', '/b.js += ""'],
    ['cd src || exit 1; touch a.js', 'src/a.js += ""'],
    ['set -e; cd src; touch a.js', 'src/a.js += ""'],
    ['cd && touch a.js', '/home/u/a.js += ""'],
    ['env -C src touch a.js', 'src/a.js += ""'],
    ['set -- a.js; touch "$@"', 'a.js += ""'],
    ["printf 'a\\0b' | xargs -0 touch", '~… += ""'],
    ['read F; touch $F', '~$F += ""'],
  ])('%s', (command, ...writes) => {
    expect(told(command)).toEqual(writes)
  })

  it('considers both folders after a cd that may have failed', () => {
    expect(told('cd nowhere; touch a.js')).toEqual(['nowhere/a.js += ""', 'a.js += ""'])
    expect(told('false && cd /tmp; touch a.js')).toContain('a.js += ""')
  })

  it.each([
    'F=a.md; false && F=b.md; touch $F',
    'if x; then F=a.md; else F=b.md; fi; touch $F',
    'F=a.md; case $1 in x) F=b.md;; esac; touch $F',
    'F=a.md; IFS=.; touch $F',
  ])('%s: a conditional value is unknown', (command) => {
    expect(told(command)).toEqual(['~$F += ""'])
  })

  it('the second round of a loop uses the result of the first', () => {
    expect(told('F=a.md; while x; do touch $F; F=a.js; done')).toEqual(['a.md += ""', '~$F += ""'])
  })
})

describe('commands', () => {
  it('include wrappers and the commands that they run, with ? for an unknown word', () => {
    expect(readCommand('sudo git push --force "$R" && bash -c "ls -l"', PLACE).commands).toEqual([
      'sudo git push --force ?',
      'git push --force ?',
      'bash -c ls -l',
      'ls -l',
    ])
  })
})
