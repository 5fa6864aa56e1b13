/**
 * Messages: threads, and a chat with a text field. Codes of other apps arrive here. "Echo" answers each
 * message with the same text, and a message "Notify: TEXT" with a notification.
 */
import { column, iconButton, label, outlined, row, scrollView, toolbar, frame } from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

export const MESSAGES = 'com.phonerack.messages'
const MAIN = 'com.phonerack.messages.ConversationListActivity'
const CHAT = 'com.phonerack.messages.ConversationActivity'
const ECHO = 'Echo'
/** A message to Echo that asks for a notification. */
const NOTIFY = /^notify:\s*(\S.*)$/is

interface Message {
  from: 'me' | 'them'
  text: string
  whenMs: number
}

interface Thread {
  name: string
  unread: number
  messages: Message[]
}

interface MessagesData {
  threads: Thread[]
}

const initialThreads = (): MessagesData => ({
  threads: [
    {
      name: 'Mira Fischer',
      unread: 1,
      messages: [
        { from: 'me', text: 'Are we still on for Saturday?', whenMs: 1_767_600_000_000 },
        {
          from: 'them',
          text: 'Yes! 10:30 at the station, platform 4. I bring the tickets.',
          whenMs: 1_767_603_000_000,
        },
      ],
    },
    {
      name: ECHO,
      unread: 0,
      messages: [{ from: 'them', text: 'Write to me and I repeat it.', whenMs: 1_767_500_000_000 }],
    },
    {
      name: 'سارة',
      unread: 0,
      messages: [{ from: 'them', text: 'صباح الخير! هل وصلت؟', whenMs: 1_767_400_000_000 }],
    },
  ],
})

const dataOf = (ui: Ui): MessagesData => ui.dataOf(MESSAGES) as MessagesData

/** Receives a text: moves its thread to the top and shows a notification. */
export function receive(ui: Ui, name: string, text: string): void {
  const data = dataOf(ui)
  const known = data.threads.find((thread) => thread.name === name)
  const thread = known ?? { name, unread: 0, messages: [] }
  thread.messages.push({ from: 'them', text, whenMs: ui.now.getTime() })
  thread.unread++
  data.threads = [thread, ...data.threads.filter((other) => other !== thread)]
  ui.notify({ package: MESSAGES, id: name, title: name, text })
}

function threadRow(ui: Ui, thread: Thread): View {
  const t = ui.theme
  const last = thread.messages.at(-1)
  return row(
    {
      id: ui.id('conversation'),
      width: 'fill',
      minHeight: 76,
      padding: { left: 20, right: 20 },
      onClick: () => ui.open(CHAT, { thread: thread.name }),
    },
    [
      frame({
        width: 44,
        height: 44,
        box: { color: t.container, radius: 'full' },
        mark: { kind: 'initial', text: thread.name.slice(0, 1), size: 20, color: t.onContainer },
      }),
      column({ width: 'wrap', weight: 1, margin: { left: 16 } }, [
        label(t, thread.name, {
          id: ui.id('conversation_name'),
          look: { size: 17, weight: thread.unread > 0 ? 700 : 400, maxLines: 1 },
        }),
        label(t, last?.text ?? '', {
          id: ui.id('conversation_snippet'),
          look: { size: 14, color: t.secondary, maxLines: 1 },
        }),
      ]),
      ...(thread.unread > 0
        ? [
            label(t, String(thread.unread), {
              id: ui.id('unread'),
              padding: { left: 8, right: 8, top: 2, bottom: 2 },
              box: { color: t.primary, radius: 'full' },
              look: { size: 12, color: t.onPrimary },
            }),
          ]
        : []),
    ],
  )
}

function main(ui: Ui): View {
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Messages', null),
    scrollView(
      ui.scroll('list'),
      { id: ui.id('list'), height: 'wrap', weight: 1 },
      dataOf(ui).threads.map((thread) => threadRow(ui, thread)),
    ),
  ])
}

function bubble(ui: Ui, message: Message): View {
  const t = ui.theme
  const mine = message.from === 'me'
  return row(
    { width: 'fill', gravity: { x: mine ? 'end' : 'start' }, padding: { left: 16, right: 16, bottom: 8 } },
    [
      label(t, message.text, {
        id: ui.id('message_text'),
        padding: { left: 16, right: 16, top: 10, bottom: 10 },
        margin: { left: mine ? 48 : 0, right: mine ? 0 : 48 },
        box: { color: mine ? t.primary : t.field, radius: 20 },
        look: { color: mine ? t.onPrimary : t.text },
      }),
    ],
  )
}

function chat(ui: Ui): View {
  const t = ui.theme
  const name = ui.intent.extras['thread'] ?? ''
  const thread = dataOf(ui).threads.find((candidate) => candidate.name === name)
  if (!thread) return label(t, 'This conversation is gone', { margin: 24 })
  thread.unread = 0
  const field = ui.field('text')
  const scroll = ui.scroll('messages')
  const end = ui.local('end', () => ({ seen: 0 }))
  if (end.seen !== thread.messages.length) {
    end.seen = thread.messages.length
    scroll.offset = Number.MAX_SAFE_INTEGER
  }
  const send = (): void => {
    const text = field.text.trim()
    if (text === '') return
    thread.messages.push({ from: 'me', text, whenMs: ui.now.getTime() })
    const asked = thread.name === ECHO ? NOTIFY.exec(text)?.[1] : undefined
    if (asked !== undefined) receive(ui, ECHO, asked)
    else if (thread.name === ECHO) thread.messages.push({ from: 'them', text, whenMs: ui.now.getTime() })
    field.text = ''
    field.anchor = field.head = 0
  }
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), thread.name, () => ui.finish()),
    scrollView(scroll, { id: ui.id('messages'), height: 'wrap', weight: 1, padding: { top: 8 } }, [
      ...thread.messages.map((message) => bubble(ui, message)),
    ]),
    row({ width: 'fill', padding: { left: 12, right: 4, top: 8, bottom: 8 } }, [
      outlined(
        t,
        field,
        { hint: 'Text message', focused: ui.isFocused(field), multiline: true },
        { id: ui.id('compose_message_text'), weight: 1, gravity: { y: 'center' } },
      ),
      iconButton(t, 'send', 'Send', send, { id: ui.id('send_message_button') }),
    ]),
  ])
}

export const messages: App = {
  package: MESSAGES,
  label: 'Messages',
  icon: { glyph: 'chat', color: '#ffffff', background: '#1a73e8' },
  versionName: '3.1',
  versionCode: 31,
  uid: 10_107,
  launcherActivity: MAIN,
  activities: { [MAIN]: main, [CHAT]: chat },
  actions: {},
  notificationActivity: { className: CHAT, extra: 'thread' },
  initialData: initialThreads,
}
