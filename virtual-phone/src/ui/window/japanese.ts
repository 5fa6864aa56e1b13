/**
 * The Japanese keyboard: letters become kana in the field as they are typed, space cycles through the conversions,
 * enter or the next word commits. Used by `keyboard.ts`.
 */
import { type EditBinding } from '../toolkit/view.js'
import { candidates, toKana } from './kana.js'
import { type KeyboardActions } from './keyboard.js'
import { type KeyboardState } from './model.js'

export interface Composer extends KeyboardActions {
  /** Candidates of the composed word; empty without one. */
  words: readonly string[]
  /** Commits one of them. */
  choose: (index: number) => void
}

export function createComposer(state: KeyboardState, edit: EditBinding, field: KeyboardActions): Composer {
  // The field committed the word, or lost it: by a tap, a key, or a change of field.
  if (edit.state.composing === undefined) end()
  const words = state.romaji === '' ? [] : candidates(state.romaji)

  function end(): void {
    state.romaji = ''
    state.candidate = 0
  }

  /** The field's text is committed unchanged. */
  function take(): void {
    edit.state.composing = undefined
    end()
  }

  function show(index: number): void {
    state.candidate = index
    field.compose(words[index] ?? '')
  }

  return {
    words,
    choose(index) {
      show(index)
      take()
    },
    compose: field.compose,
    type(text) {
      if (/^[a-z]$/i.test(text)) {
        // After a conversion, a letter begins the next word.
        if (state.candidate > 0) take()
        state.romaji += text.toLowerCase()
        field.compose(toKana(state.romaji))
      } else if (text === ' ' && words.length > 0) {
        show((state.candidate + 1) % words.length)
      } else {
        take()
        field.type(text)
      }
    },
    backspace() {
      if (state.romaji === '') field.backspace()
      else {
        state.candidate = 0
        state.romaji = state.romaji.slice(0, -1)
        field.compose(toKana(state.romaji))
      }
    },
    enter() {
      if (words.length === 0) field.enter()
      else {
        // The end of the word completes a lone n.
        show(state.candidate)
        take()
      }
    },
  }
}
