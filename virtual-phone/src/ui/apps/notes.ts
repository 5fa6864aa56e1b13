/** Notes: a list, an editor with a one-line title and a long body, and a locked note behind a password field. */
import {
  button,
  column,
  editText,
  floatingButton,
  frame,
  icon,
  iconButton,
  label,
  outlined,
  row,
  scrollView,
  toolbar,
} from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'

const MAIN = 'com.phonerack.notes.MainActivity'
const EDIT = 'com.phonerack.notes.EditActivity'
const UNLOCK = 'com.phonerack.notes.UnlockActivity'

interface Note {
  id: number
  title: string
  body: string
  locked: boolean
}

interface NotesData {
  nextId: number
  /** Password of the locked note; null until it is set. */
  password: string | null
  notes: Note[]
}

const initialNotes = (): NotesData => ({
  nextId: 4,
  password: null,
  notes: [
    {
      id: 1,
      title: 'Welcome',
      body: 'Tap + to write a note.\nLong press a note to delete it.',
      locked: false,
    },
    { id: 2, title: 'Shopping', body: 'Milk\nBread\nApples', locked: false },
    { id: 3, title: 'Private', body: 'Nothing secret here yet.', locked: true },
  ],
})

const notesOf = (ui: Ui): NotesData => ui.data() as NotesData
const noteOf = (ui: Ui): Note | undefined =>
  notesOf(ui).notes.find((note) => String(note.id) === ui.intent.extras['note'])

function askDelete(ui: Ui, note: Note): void {
  ui.showDialog((d) =>
    column({ padding: { left: 24, right: 24 } }, [
      label(d.theme, 'Delete note?', { id: 'android:id/alertTitle', look: { size: 24 } }),
      label(d.theme, note.title === '' ? 'Untitled' : note.title, {
        id: 'android:id/message',
        margin: { top: 12, bottom: 16 },
        look: { color: d.theme.secondary },
      }),
      row({ width: 'fill', gravity: { x: 'end', y: 'center' } }, [
        button(d.theme, 'Cancel', () => ui.dismissDialog(), { id: 'android:id/button2', kind: 'text' }),
        button(
          d.theme,
          'Delete',
          () => {
            const data = notesOf(ui)
            data.notes = data.notes.filter((other) => other.id !== note.id)
            ui.dismissDialog()
          },
          { id: 'android:id/button1', kind: 'text' },
        ),
      ]),
    ]),
  )
}

function noteCard(ui: Ui, note: Note): View {
  const t = ui.theme
  return column(
    {
      id: ui.id('note_item'),
      margin: { left: 16, right: 16, bottom: 8 },
      padding: 16,
      box: { color: t.surface, radius: 16 },
      onClick: () => ui.open(note.locked ? UNLOCK : EDIT, { note: String(note.id) }),
      onLongClick: () => askDelete(ui, note),
    },
    [
      row({ width: 'fill' }, [
        label(t, note.title === '' ? 'Untitled' : note.title, {
          id: ui.id('note_title'),
          weight: 1,
          look: { size: 18, weight: 500, maxLines: 1 },
        }),
        ...(note.locked ? [icon('lock', 20, t.secondary, { description: 'Locked' })] : []),
      ]),
      ...(note.locked || note.body === ''
        ? []
        : [
            label(t, note.body, {
              id: ui.id('note_preview'),
              margin: { top: 4 },
              look: { size: 14, color: t.secondary, maxLines: 2 },
            }),
          ]),
    ],
  )
}

function main(ui: Ui): View {
  const t = ui.theme
  const { notes } = notesOf(ui)
  const list = [...notes].reverse().map((note) => noteCard(ui, note))
  const empty = label(t, 'No notes', {
    id: ui.id('empty'),
    place: { x: 'center' },
    margin: { top: 80 },
    look: { color: t.secondary },
  })
  return frame({ width: 'fill', height: 'fill' }, [
    column({ height: 'fill' }, [
      toolbar(t, ui.id('toolbar'), 'Notes', null),
      scrollView(
        ui.scroll('list'),
        { id: ui.id('notes_list'), height: 'wrap', weight: 1, padding: { top: 8 } },
        [...(list.length > 0 ? list : [empty]), frame({ height: 88 })],
      ),
    ]),
    floatingButton(
      t,
      'add',
      'New note',
      () => {
        const data = notesOf(ui)
        const note: Note = { id: data.nextId++, title: '', body: '', locked: false }
        data.notes.push(note)
        ui.open(EDIT, { note: String(note.id) })
      },
      ui.id('fab'),
    ),
  ])
}

/** Saves a note while it is typed, and deletes an empty note when the editor is left. */
function leave(ui: Ui): void {
  const data = notesOf(ui)
  data.notes = data.notes.filter((note) => note.title !== '' || note.body !== '')
  ui.finish()
}

function edit(ui: Ui): View {
  const t = ui.theme
  const note = noteOf(ui)
  if (!note) return label(t, 'This note was deleted', { margin: 24 })
  const title = ui.field('title', note.title)
  const body = ui.field('body', note.body)
  ui.onBack(() => leave(ui))
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Edit note', () => leave(ui), [
      iconButton(t, 'check', 'Save', () => leave(ui), { id: ui.id('save') }),
    ]),
    editText(
      t,
      title,
      {
        hint: 'Title',
        focused: ui.isFocused(title),
        action: 'next',
        onAction: () => ui.focus(body),
        onChange: (text) => (note.title = text),
        look: { size: 24, weight: 500 },
      },
      { id: ui.id('title'), width: 'fill', padding: { left: 24, right: 24, top: 8, bottom: 8 } },
    ),
    editText(
      t,
      body,
      { hint: 'Note', focused: ui.isFocused(body), multiline: true, onChange: (text) => (note.body = text) },
      {
        id: ui.id('body'),
        width: 'fill',
        weight: 1,
        padding: { left: 24, right: 24, top: 8, bottom: 16 },
        scroll: ui.scroll('body'),
      },
    ),
  ])
}

function unlock(ui: Ui): View {
  const t = ui.theme
  const data = notesOf(ui)
  const local = ui.local('unlock', () => ({ wrong: false }))
  const password = ui.field('password')
  const submit = (): void => {
    if (password.text === '') return
    data.password ??= password.text
    local.wrong = data.password !== password.text
    if (local.wrong) return
    ui.finish()
    ui.open(EDIT, { note: ui.intent.extras['note'] ?? '' })
  }
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Locked note', () => ui.finish()),
    scrollView(ui.scroll('form'), { height: 'wrap', weight: 1, padding: 24, gravity: { x: 'center' } }, [
      icon('lock', 56, t.primary, { margin: { top: 16, bottom: 16 } }),
      label(
        t,
        data.password === null ? 'Choose a password for this note' : 'Enter the password of this note',
        { id: ui.id('prompt') },
      ),
      outlined(
        t,
        password,
        { hint: 'Password', focused: ui.isFocused(password), password: true, onAction: submit },
        { id: ui.id('password'), margin: { top: 24 } },
      ),
      ...(local.wrong
        ? [
            label(t, 'Wrong password', {
              id: ui.id('error'),
              margin: { top: 8 },
              look: { size: 14, color: t.error },
            }),
          ]
        : []),
      button(t, 'Unlock', submit, { id: ui.id('unlock'), margin: { top: 24 } }),
    ]),
  ])
}

export const notes: App = {
  package: 'com.phonerack.notes',
  label: 'Notes',
  icon: { glyph: 'edit_note', color: '#ffffff', background: '#f9ab00' },
  versionName: '1.4',
  versionCode: 14,
  uid: 10_101,
  launcherActivity: MAIN,
  activities: { [MAIN]: main, [EDIT]: edit, [UNLOCK]: unlock },
  actions: {},
  initialData: initialNotes,
}
