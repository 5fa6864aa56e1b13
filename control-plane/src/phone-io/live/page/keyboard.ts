/** Reads the hardware keyboard, the on-screen keyboard, and pasted text through a hidden field. */
import { androidKey, keyCodes, piecesOf } from './keys.js'
import { type PageMessage } from './wire.js'

/** The field always contains this text, so that Backspace on an on-screen keyboard has a character to delete. */
const filler = '\u200b\u200b'
/** Characters per message; see `limits.live.text`. */
const maxCharacters = 10_000

export class Keyboard {
  private readonly pressed = new Map<string, { code: number; meta: number }>()
  private isComposing = false

  /** @param composition shows the text that an input method composes, since the field is invisible */
  constructor(
    private readonly field: HTMLTextAreaElement,
    private readonly composition: HTMLElement,
    private readonly send: (message: PageMessage) => void,
  ) {
    field.addEventListener('keydown', (event) => this.onDown(event))
    field.addEventListener('keyup', (event) => this.onUp(event.code))
    field.addEventListener('blur', () => this.letGo())
    field.addEventListener('focus', () => this.fill())
    field.addEventListener('compositionstart', () => (this.isComposing = true))
    field.addEventListener('compositionupdate', ({ data }) => this.showComposition(data))
    field.addEventListener('compositionend', () => {
      this.isComposing = false
      this.showComposition('')
      this.take()
    })
    field.addEventListener('input', (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertLineBreak') this.press(keyCodes.enter)
      else if (!this.isComposing) return this.take()
      if (!this.isComposing) this.fill()
    })
    field.addEventListener('paste', (event) => {
      event.preventDefault()
      this.type(event.clipboardData?.getData('text/plain') ?? '')
    })
  }

  focus(): void {
    this.field.focus({ preventScroll: true })
  }

  /** Presses and releases a key. */
  press(code: number): void {
    this.send({ type: 'key', down: true, code, meta: 0, repeat: 0 })
    this.send({ type: 'key', down: false, code, meta: 0, repeat: 0 })
  }

  type(text: string): void {
    for (const piece of piecesOf(text.replaceAll('\r\n', '\n'), maxCharacters))
      this.send({ type: 'text', text: piece })
  }

  /** Releases held keys. */
  letGo(): void {
    for (const name of [...this.pressed.keys()]) this.onUp(name)
  }

  private onDown(event: KeyboardEvent): void {
    if (event.isComposing) return
    const key = androidKey(event)
    if (!key) return
    event.preventDefault()
    this.pressed.set(event.code, key)
    this.send({ type: 'key', down: true, ...key, repeat: event.repeat ? 1 : 0 })
  }

  private onUp(name: string): void {
    const key = this.pressed.get(name)
    if (!key) return
    this.pressed.delete(name)
    this.send({ type: 'key', down: false, ...key, repeat: 0 })
  }

  private showComposition(text: string): void {
    this.composition.textContent = text
    this.composition.hidden = text === ''
  }

  private take(): void {
    const { value } = this.field
    if (value.startsWith(filler)) this.type(value.slice(filler.length))
    else {
      const kept = value.replaceAll('\u200b', '')
      const deleted = filler.length - (value.length - kept.length)
      for (let at = 0; at < deleted; at++) this.press(keyCodes.backspace)
      this.type(kept)
    }
    this.fill()
  }

  private fill(): void {
    this.field.value = filler
    this.field.setSelectionRange(filler.length, filler.length)
  }
}
