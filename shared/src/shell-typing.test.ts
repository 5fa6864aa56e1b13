import { expect, it } from 'vitest'
import { typedByShell } from './shell-typing.js'

it.each([
  ['input text hunter22', ['hunter22']],
  ["input keyboard -d 0 text 'two%swords'; ls", ['two words']],
  ['am start -a x && input text "a b"\ninput text second', ['a b', 'second']],
  ['input tap 1 2; cat text file', []],
  ['ls -la', []],
  // A script that makes a search from each `input` to the end takes minutes.
  ['input '.repeat(1_000_000), []],
  [`input ${'text '.repeat(1_000_000)}`, ['text '.repeat(999_999).trim()]],
])('finds the texts that %j types', (command, texts) => {
  expect(typedByShell(command)).toEqual(texts)
})
