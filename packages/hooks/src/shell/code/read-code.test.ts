import { describe, expect, it } from 'vitest'
import { readCommand } from '../index.ts'

const PLACE = { cwd: '/w', home: '/home/u' }

function paths(command: string): readonly string[] {
  return readCommand(command, PLACE).writes.map(
    ({ path, written }) => path?.replace(/^\/w\//, '') ?? `~${written}`,
  )
}

function python(code: string): string {
  return `python3 - <<'EOF'\n${code}\nEOF`
}

function node(code: string): string {
  return `node <<'EOF'\n${code}\nEOF`
}

describe('code that writes', () => {
  it.each([
    python("open('a.js', 'w')"),
    python("open('a.js', mode='a')"),
    python("open('a.js', 'xb')"),
    python("open('a.js', 'r+')"),
    python("import io; io.open('a.js', 'wt')"),
    python("import os; os.open('a.js', os.O_WRONLY | os.O_CREAT)"),
    python("with open('a.js', 'w') as f:\n  f.write(x)"),
    python("from pathlib import Path\nPath('a.js').write_text(x)"),
    python("import pathlib; pathlib.Path('a.js').write_bytes(x)"),
    python("from pathlib import Path\nPath('a.js').open('w')"),
    python("import fileinput\nfor l in fileinput.input('a.js', inplace=True): print(l)"),
    python("p = 'a.js'\nopen(p, 'w')"),
    python("open('a' + '.js', 'w')"),
    python("import os; open(os.path.join('.', 'a.js'), 'w')"),
    python("import shutil; shutil.copy('b', 'a.js')"),
    python("import shutil as s; s.copyfile('b', 'a.js')"),
    python("from shutil import copy as c\nc('b', 'a.js')"),
    python("import os; os.remove('a.js')"),
    python("__import__('os').unlink('a.js')"),
    python("import os; getattr(os, 'remove')('a.js')"),
    python("import os; os.system('rm a.js')"),
    python("import subprocess; subprocess.run(['rm', 'a.js'])"),
    python("import subprocess; subprocess.check_output('rm a.js', shell=True)"),
    python("from subprocess import run\nrun(['sh', '-c', 'rm a.js'])"),
    python("exec(\"open('a.js', 'w')\")"),
    `python -c "open('a.js','w').write('x')"`,
    `python2.7 -Ic "open('a.js','w')"`,
    `echo "open('a.js','w')" | python`,
    `echo "open('a.js','w')" > /tmp/x.py && python /tmp/x.py`,
    node("fs.writeFileSync('a.js', x)"),
    node('await fs.promises.writeFile(`a.js`, x)'),
    node("require('fs')['writeFileSync']('a.js', x)"),
    node("const { writeFileSync: w } = require('fs'); w('a.js', x)"),
    node("import { writeFileSync as w } from 'node:fs'; w('a.js', x)"),
    node("const w = fs.writeFileSync; w('a.js', x)"),
    node("fs.appendFileSync('a.js', x)"),
    node("fs.createWriteStream('a.js')"),
    node("fs.openSync('a.js', 'w')"),
    node("fs.copyFileSync('b', 'a.js')"),
    node("fs.cpSync('b', 'a.js')"),
    node("fs.rmSync('a.js')"),
    node("fs.writeFileSync(path.join('.', 'a.js'), x)"),
    node("const p = 'a.js'; fs.writeFileSync(p, x)"),
    node("require('child_process').execSync('rm a.js')"),
    node("require('child_process').spawn('rm', ['a.js'])"),
    node("require('child_process').spawnSync('sh', ['-c', 'rm a.js'])"),
    node('eval(\'fs.rmSync("a.js")\')'),
    `node -e "fs.writeFileSync('a.js', 'x')"`,
    `node --input-type=module --eval "fs.writeFileSync('a.js', 'x')"`,
    `node -pe "fs.writeFileSync('a.js', 'x')"`,
    `bun -e "Bun.write('a.js', 'x')"`,
    `deno eval "Deno.writeTextFileSync('a.js', 'x')"`,
    `perl -e 'open(F, ">a.js")'`,
    `perl -e 'open(my $f, ">>", "a.js")'`,
    `perl -E 'unlink "a.js"'`,
    `perl -e 'system("rm a.js")'`,
    "perl -e '`rm a.js`'",
    `ruby -e 'File.write("a.js", "x")'`,
    `ruby -e 'File.open("a.js", "w") { |f| f.puts 1 }'`,
    `ruby -e 'system "rm a.js"'`,
    `ruby -e '%x(rm a.js)'`,
    `php -r 'file_put_contents("a.js", "x");'`,
    `php -r 'fopen("a.js", "w");'`,
    `lua -e 'io.open("a.js", "w")'`,
    `osascript -e 'do shell script "rm a.js"'`,
    `awk 'BEGIN { system("rm a.js") }'`,
    `awk 'BEGIN { print "x" | "tee a.js" }'`,
  ])('%s', (command) => {
    expect(paths(command).filter((path) => path !== '/tmp/x.py')).toEqual(['a.js'])
  })

  it.each([
    python("open(sys.argv[1], 'w')"),
    python("open(base64.b64decode('YS5qcw=='), 'w')"),
    python("open(chr(97) + '.js', 'w')"),
    python("open(f'{x}.js', 'w')"),
    python("p = 'a.md'\np = q\nopen(p, 'w')"),
    python("p = 'a.md'\nfor p in x:\n  open(p, 'w')"),
    python('p.write_text(x)'),
    node('fs.writeFileSync(p, x)'),
    node('fs.writeFileSync(`${p}.js`, x)'),
    node("const p = 'a.md'; ((p) => fs.writeFileSync(p, x))(q)"),
    node("fs.writeFileSync(Buffer.from('YS5qcw==', 'base64').toString(), x)"),
    `python3 -c "open('$F', 'w')"`,
  ])('%s: the computed path is unknown', (command) => {
    const { writes } = readCommand(command, PLACE)
    expect(writes.map(({ path }) => path)).toEqual([undefined])
  })

  it.each([
    [python("open('a.js', 'w').write('x')"), { kind: 'text', text: 'x' }],
    [
      python("with open('a.js', 'w') as f:\n  f.write('x\\n')\n  f.write('y')"),
      { kind: 'text', text: 'x\ny' },
    ],
    [python("open('a.js', 'a').write('x')"), { kind: 'append', text: 'x' }],
    [python("Path('a.js').write_text('''x\ny''')"), { kind: 'text', text: 'x\ny' }],
    [node("fs.writeFileSync('a.js', 'x\\u0041')"), { kind: 'text', text: 'xA' }],
    [node("fs.renameSync('b', 'a.js')"), { kind: 'move', from: '/w/b' }],
    [
      python("with open('a.js', 'w') as f:\n  f.write('x')\n  json.dump(d, f)"),
      { kind: 'unknown', why: 'the code works it out' },
    ],
    [
      python("f = open('a.js', 'w')\nfor x in y: f.write('x')"),
      { kind: 'unknown', why: 'the code works it out' },
    ],
  ])('%s: finds the content', (command, content) => {
    expect(readCommand(command, PLACE).writes[0]?.content).toEqual(content)
  })

  it('finds a path in both folders if the code changes its folder', () => {
    expect(paths(python("import os\nos.chdir('src')\nopen('a.js', 'w')"))).toEqual(['a.js', 'src/a.js'])
    expect(paths(node("process.chdir(d); fs.writeFileSync('a.js', x)"))).toEqual(['a.js', '~a.js'])
  })

  it('returns the code itself, for rules about its text', () => {
    const { code } = readCommand(`node -e "fetch('http://x')"; python3 <<< 'import requests'`, PLACE)
    expect(code).toEqual([
      { language: 'javascript', text: "fetch('http://x')" },
      { language: 'python', text: 'import requests\n' },
    ])
  })
})

describe('code that only reads', () => {
  it.each([
    python("print(json.load(open('a.json'))['x'])"),
    python("open('a', 'r', encoding='utf-8').read()"),
    python("with open('a', 'rb') as f: print(f.read())"),
    python("'a'.replace('a', 'b'); [1].remove(1); df.rename(columns={})"),
    python("Path('a').open().read(); Path('a').read_text()"),
    node("/a/.exec('b')"),
    node("fs.readFileSync('a', 'utf8'); fs.openSync('a', 'r')"),
    node("import { readFile } from 'node:fs/promises'; console.log(await readFile('a'))"),
    `perl -ne 'print if /open/' a`,
    `perl -e 'open(F, "<", "a"); open(G, "b")'`,
    `ruby -e 'puts File.read("a")'`,
    `awk '{ print ($1 > 5) ? "a" : "b" }' f`,
  ])('%s', (command) => {
    const { writes, unknowns } = readCommand(command, PLACE)
    expect({ writes, unknowns }).toEqual({ writes: [], unknowns: [] })
  })
})
