import { expect, it } from 'vitest'
import { readCommand } from './index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }
const named = (command: string) => readCommand(command, PLACE).named.map(({ path }) => path)

it.each([
  'sqlite3 :memory: ".output src/a.test.ts"',
  'frobnicate src/a.test.ts',
  'frobnicate --file=src/a.test.ts',
  'f=src/a.test.ts; frobnicate "$f"',
  'frobnicate \'src\'/a.te"st".ts',
  'frobnicate <<< src/a.test.ts',
  'read f <<< src/a.test.ts; cp x "$f"',
  'frobnicate "$(echo src/a.test.ts)"',
  "python3 -c \"o = open; o('src/a.test.ts', 'w')\"",
  'python3 -c "import sys; open(sys.argv[1], \'w\')" src/a.test.ts',
  'node -e "const { rmSync: r } = fs; r?.(\'src/a.test.ts\')"',
  "perl -e 'truncate q{src/a.test.ts}, 0'",
  "awk -v f=src/a.test.ts '{ print > f }' x",
  'GIT_TRACE=/w/src/a.test.ts git status',
  'vitest run --outputFile=src/a.test.ts',
  'bash x.sh src/a.test.ts',
  'node x.mjs src/a.test.ts',
  'cp /bin/cp wc; PATH=. wc x src/a.test.ts',
  'git merge-file src/a.test.ts x y',
  'vim -es -c x src/a.test.ts',
])('%s: passes a file name to a program that may write it', (command) => {
  expect(named(command)).toContain('/w/src/a.test.ts')
})

it.each([
  'cat src/a.test.ts | head',
  'npx vitest run src/a.test.ts',
  'npm run build && npx vitest run src/a.test.ts',
  'pytest tests/test_a.py::test_b -q',
  'node --test src/a.test.ts',
  'npm test -- src/a.test.ts',
  'node src/a.test.ts',
  'git add src/a.test.ts && git commit -m "see src/a.test.ts"',
  'docker compose exec web pytest tests/test_a.py',
  'python3 -c "print(open(\'src/a.test.ts\').read())"',
  "node -e \"console.log(fs.readFileSync('src/a.test.ts', 'utf8').length)\"",
  "awk '/it/ { n++ } END { print n }' src/a.test.ts",
  'frobnicate https://example.org/src/a.test.ts',
])('%s: passes no file name to a program that may write it', (command) => {
  expect(named(command).filter((path) => path?.includes('test'))).toEqual([])
})

it('treats a formatter as a program that preserves meaning', () => {
  const { named } = readCommand('npx prettier --write src/a.test.ts', PLACE)
  expect(named).toEqual([
    { path: '/w/src/a.test.ts', written: 'src/a.test.ts', content: { kind: 'append', text: '' } },
  ])
})
