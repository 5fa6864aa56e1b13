/** Puts the files of `examples/` into the pages that name them. */
import path from 'node:path'

/** `<!-- example NAME/FILE -->`: the file as a block of code; `<!-- versions NAME -->`: the packages that its test installs. */
const marks = /^<!-- (example|versions) (\S+) -->$/gm

const languages: Readonly<Record<string, string>> = {
  '.mts': 'ts',
  '.py': 'python',
  '.json': 'json',
  '.txt': 'text',
}

/** @param read returns the text of a file of `examples/` */
export const withExamples = (markdown: string, read: (file: string) => string): string =>
  markdown.replaceAll(marks, (_, kind: string, name: string) =>
    kind === 'example' ? blockOf(name, read(name)) : versionsOf(read(path.posix.join(name, 'package.json'))),
  )

function blockOf(name: string, text: string): string {
  const language = languages[path.extname(name)]
  if (language === undefined) throw new Error(`${name} has no language`)
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
}

function versionsOf(manifest: string): string {
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
  const named = Object.entries(dependencies).map(([name, version]) => `\`${name}\` ${version}`)
  return `Tested with ${named.join(', ')}, and Node.js 24.`
}
