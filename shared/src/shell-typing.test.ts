import { expect, it } from 'vitest'
import { typedByShell } from './shell-typing.js'

it.each([
  ['input text hunter22', ['hunter22']],
  ["input keyboard -d 0 text 'two%swords'; ls", ['two words']],
  ['am start -a x && input text "a b"\ninput text second', ['a b', 'second']],
  ['input tap 1 2; cat text file', []],
  ['ls -la', []],
  [`input text "pass;word | it's"`, ["pass;word | it's"]],
  [`input text 'a'"b"\\ c`, ['ab c']],
  [`sh -c 'input text hunter22'; su -c "sh -c 'input text deep'"`, ['hunter22', 'deep']],
  ["cat <<END\nit's\nEND\ninput text after", ['after']],
  ["# don't\ninput text after", ['after']],
  ['n=${#x}; input text hunter22', ['hunter22']],
  ['input text hunter22>/dev/null; input text > log a#b 2>&1', ['hunter22', 'a#b']],
  ['/system/bin/input text a; cmd input text b', ['a', 'b']],
  ['input keyevent 9 12 KEYCODE_5 7; input keyevent 66', ['2550']],
  ['input keyevent 9\nsleep 1\ninput keyevent --longpress KEYCODE_A SPACE 145', ['2a 1']],
  ['input keyevent 3; input keyevent KEYCODE_HOME', []],
])('finds the texts that %j types', (command, texts) => {
  expect(typedByShell(command)).toEqual(texts)
})

it.each([
  ['many programs', 'input '.repeat(1_000_000), []],
  ['many words', `input ${'text '.repeat(1_000_000)}`, ['text']],
  ['a long script in a script', `sh -c '${'input text a '.repeat(100_000)}'`, ['a']],
  ['open quotes', `input text ${`"'`.repeat(999_999)}`, [`'"`.repeat(333_333)]],
])('ends for a script with %s', (_, command, texts) => {
  expect(typedByShell(command)).toEqual(texts)
})
