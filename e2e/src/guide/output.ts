/** Compares the output of a program with the output that a page shows. Pure. */

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `…` matches any text within a line, and as a whole line any number of lines. */
const lineOf = (line: string): string =>
  line.trim() === '…' ? '(?:.*\\n)*?' : `${escaped(line.trimEnd()).replaceAll('…', '.*?')}[ \\t]*\\n`

/** Whether the lines of the page appear in the output, one after the other. */
export function isPrinted(expected: string, output: string): boolean {
  const lines = expected.replace(/^\s*\n|\s+$/g, '').split('\n')
  return new RegExp(`^${lines.map(lineOf).join('')}`, 'm').test(`${output}\n`)
}
