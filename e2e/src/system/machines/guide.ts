/** Returns the commands of docs/operations.md, as a reader copies them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../system.js'

const text = readFileSync(path.join(root, 'docs', 'operations.md'), 'utf8')

/**
 * Returns the blocks of commands between a heading and the next heading.
 * @throws Error without such a heading or block
 */
export function commandsBelow(heading: string): string[] {
  const sections = text.split(/^#+ /m)
  const section = sections.find((each) => each.startsWith(`${heading}\n`))
  const blocks = [...(section ?? '').matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)].map(
    ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
  if (blocks.length === 0) throw new Error(`docs/operations.md has no commands below "${heading}"`)
  return blocks
}

/**
 * Returns the command unchanged.
 * @throws Error when the guide does not have its name, which is the words before the first value
 * @param words for example `host drain`
 */
export function inGuide(words: string, command: string): string {
  if (!text.includes(words)) throw new Error(`docs/operations.md does not have: ${words}`)
  if (!command.includes(words)) throw new Error(`${command} does not contain: ${words}`)
  return command
}
