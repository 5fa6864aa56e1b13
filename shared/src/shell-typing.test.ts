import { expect, it } from 'vitest'
import { typedByShell } from './shell-typing.js'

it.each([
  ['input text hunter22', ['hunter22']],
  ["input keyboard -d 0 text 'two%swords'; ls", ['two words']],
  ['am start -a x && input text "a b"\ninput text second', ['a b', 'second']],
  ['input tap 1 2; cat text file', []],
  ['ls -la', []],
])('finds the texts that %j types', (command, texts) => {
  expect(typedByShell(command)).toEqual(texts)
})
