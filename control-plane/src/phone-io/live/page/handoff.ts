/**
 * A hand-over on the live view's page: the agent's request, and the buttons for taking and
 * returning control. The server decides; the page shows the state that it sends.
 */
import { byId } from './view.js'
import { closings, type HandoffState, type PageMessage } from './wire.js'

type Outcome = (PageMessage & { type: 'give_back' })['outcome']

const texts = {
  open: {
    title: 'An agent asks for your help',
    hint: 'The agent waits while you are in control. It can still see the screen.',
  },
  taken: {
    title: 'You are in control',
    hint: 'Press Done when you have finished. The agent can still see the screen.',
  },
}

const dialogTexts: Record<Outcome, { title: string; text: string; button: string }> = {
  done: {
    title: 'Give the phone back',
    text: 'You can leave a note for the agent. It continues immediately.',
    button: 'Give it back',
  },
  declined: {
    title: 'Decline the request?',
    text: 'You can give the agent a reason. The phone goes back to the agent.',
    button: 'Tell the agent',
  },
}

interface HandoffListener {
  send(message: PageMessage): void
  /** Called with whether the person has control, which may have been taken on this page or elsewhere. */
  onControl(hasControl: boolean): void
  /** Called before control is returned, to release pressed fingers and keys. */
  onGiveBack(): void
}

export class Handoff {
  private readonly panel = byId('handoff', HTMLElement)
  private readonly title = byId('handoff-title', HTMLHeadingElement)
  private readonly message = byId('handoff-message', HTMLParagraphElement)
  private readonly more = byId('handoff-more', HTMLButtonElement)
  private readonly take = byId('handoff-take', HTMLButtonElement)
  private readonly done = byId('handoff-done', HTMLButtonElement)
  private readonly decline = byId('handoff-decline', HTMLButtonElement)
  private readonly dialog = byId('handoff-dialog', HTMLDialogElement)
  private readonly note = byId('handoff-note', HTMLTextAreaElement)
  private outcome: Outcome = 'done'
  private state: HandoffState | null = null

  constructor(private readonly listener: HandoffListener) {
    this.take.addEventListener('click', () => {
      this.wait()
      listener.send({ type: 'take' })
    })
    this.done.addEventListener('click', () => this.ask('done'))
    this.decline.addEventListener('click', () => this.ask('declined'))
    this.more.addEventListener('click', () => this.expand(this.more.ariaExpanded !== 'true'))
    this.dialog.addEventListener('close', () => this.answered())
    // A touch before control is taken points the person to the button.
    byId('screen', HTMLCanvasElement).addEventListener('pointerdown', () => {
      if (this.state?.isTaken === false && !this.take.disabled) this.take.focus({ focusVisible: true })
    })
  }

  /** Null for a link without a hand-over. */
  show(state: HandoffState | null): void {
    const wasTaken = this.state?.isTaken
    this.state = state
    this.panel.hidden = state === null
    document.body.classList.toggle('handoff', state !== null)
    if (state === null) return
    const { title, hint } = texts[state.isTaken ? 'taken' : 'open']
    this.panel.dataset['state'] = state.isTaken ? 'taken' : 'open'
    this.title.textContent = title
    byId('handoff-hint', HTMLParagraphElement).textContent = hint
    this.message.textContent = state.message
    this.take.hidden = state.isTaken
    this.done.hidden = !state.isTaken
    for (const button of [this.take, this.done, this.decline]) button.disabled = false
    if (state.isTaken !== wasTaken) this.expand(!state.isTaken)
    // The focused button is hidden; move the focus so that no other control is pressed by accident.
    if (state.isTaken && document.activeElement === document.body) this.title.focus()
    this.listener.onControl(state.isTaken)
  }

  /**
   * Disables the buttons until the server sends the state: the connection is lost, or a decision is
   * pending.
   */
  wait(): void {
    for (const button of [this.take, this.done, this.decline]) button.disabled = true
  }

  /** Shows the end of the view. Returns the next step for the person; null without a hand-over. */
  over(reason: string): string | null {
    if (this.dialog.open) this.dialog.close('cancel')
    const wasTaken = this.state?.isTaken === true
    this.show(null)
    const isAnswered = reason === closings.handedBack.reason || reason === closings.withdrawn.reason
    if (isAnswered) return 'You can close this page.'
    return wasTaken ? 'Your take-over ended with it. The agent no longer waits for you.' : null
  }

  private expand(isExpanded: boolean): void {
    this.more.ariaExpanded = String(isExpanded)
    this.panel.classList.toggle('expanded', isExpanded)
  }

  private ask(outcome: Outcome): void {
    this.outcome = outcome
    const { title, text, button } = dialogTexts[outcome]
    byId('handoff-dialog-title', HTMLHeadingElement).textContent = title
    byId('handoff-dialog-text', HTMLParagraphElement).textContent = text
    byId('handoff-send', HTMLButtonElement).textContent = button
    this.dialog.showModal()
  }

  /** Keeps the note until the server has received it. */
  private answered(): void {
    const isSent = this.dialog.returnValue === 'send'
    this.dialog.returnValue = ''
    if (!isSent || this.state === null) return
    this.listener.onGiveBack()
    this.wait()
    // Postgres stores no NUL.
    const note = this.note.value.replaceAll('\0', '').trim()
    this.listener.send({ type: 'give_back', outcome: this.outcome, note })
  }
}
