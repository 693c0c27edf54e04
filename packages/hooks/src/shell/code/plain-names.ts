import type { Language } from './calls.ts'

/** Rewrites aliases to plain names: `fs['rm']`, `import os as o`, `from os import remove as r`. */
export function plainNames(text: string, { name }: Language): string {
  const code = text.replaceAll(/(?<=[\w)\]])\s*(?:\?\.)?\[\s*(['"`])([A-Za-z_]\w*)\1\s*\]/g, '.$2')
  if (name === 'javascript') return renamedInJavaScript(code)
  return name === 'python' ? renamedInPython(code) : code
}

/** `{ writeFileSync: w }`, `writeFileSync as w`, `w = fs.writeFileSync` */
function renamedInJavaScript(code: string): string {
  const names = '(?:write|append|copy|rename|rm|unlink|cp|open|symlink|link|exec|spawn|output|create)\\w*'
  const renames = new RegExp(
    `\\b(${names})\\s*(?::|\\bas\\b)\\s*([A-Za-z_$][\\w$]*)|([A-Za-z_$][\\w$]*)\\s*=\\s*(?:[\\w.]+|require\\([^()]*\\)|[\\w.]+\\([^()]*\\)\\.\\w+)\\.(${names})\\b(?!\\s*\\()`,
    'g',
  )
  return rename(
    code,
    [...code.matchAll(renames)].map((match) => [match[2] ?? match[3] ?? '', match[1] ?? match[4] ?? '']),
  )
}

function renamedInPython(code: string): string {
  const named = code
    .replaceAll(/(?:__import__|(?:importlib\.)?import_module)\(\s*['"]([\w.]+)['"]\s*\)/g, '$1')
    .replaceAll(/\bgetattr\(\s*(\w+)\s*,\s*['"](\w+)['"]\s*\)/g, '$1.$2')
  const renames: [string, string][] = []
  for (const match of named.matchAll(/\bimport\s+(os|shutil|subprocess|pathlib|io|builtins)\s+as\s+(\w+)/g)) {
    renames.push([match[2] ?? '', match[1] ?? ''])
  }
  for (const match of named.matchAll(/\bfrom\s+(os|shutil|subprocess|pty)\s+import\s+([\w ,]+)/g)) {
    for (const part of (match[2] ?? '').split(',')) {
      const [original = '', , alias = original] = part.trim().split(/\s+/)
      renames.push([alias, `${match[1] ?? ''}.${original}`])
    }
  }
  for (const match of named.matchAll(
    /\b([A-Za-z_]\w*)\s*=\s*((?:os|shutil|subprocess)\.\w+|open)\s*(?:[;\n]|$)/g,
  )) {
    renames.push([match[1] ?? '', match[2] ?? ''])
  }
  return rename(named, renames)
}

function rename(code: string, renames: readonly (readonly string[])[]): string {
  let text = code
  for (const [alias = '', original = ''] of renames.slice(0, 20)) {
    if (alias === '' || alias === original) continue
    const used = new RegExp(`(?<![\\w.$])${alias.replaceAll('$', '\\$')}(?=\\s*[.(])`, 'g')
    text = text.replaceAll(used, () => original)
  }
  return text
}
