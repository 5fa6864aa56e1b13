/** Contacts: a long list sorted by name, a search, a person's page, and a form that adds a contact. */
import {
  button,
  column,
  editText,
  floatingButton,
  frame,
  icon,
  iconButton,
  INPUT_TYPE,
  label,
  outlined,
  recyclerView,
  row,
  scrollView,
  toolbar,
} from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'
import { makeContacts, type Contact } from './contact-names.js'

const MAIN = 'com.android.contacts.activities.PeopleActivity'
const DETAIL = 'com.android.contacts.quickcontact.QuickContactActivity'
const EDIT = 'com.android.contacts.activities.ContactEditorActivity'

interface ContactsData {
  /** Only the user's changes are saved; the thousand contacts are generated again. */
  added: Contact[]
  deleted: number[]
}

const COLORS = ['#c2185b', '#5e35b1', '#1e88e5', '#00897b', '#7cb342', '#f4511e', '#6d4c41', '#546e7a']
const collator = new Intl.Collator('en')
const everyone = makeContacts()

interface SortedContacts {
  /** The numbers of added and deleted contacts when the list was built. */
  added: number
  deleted: number
  list: readonly Contact[]
}

/** Sorting a thousand names takes milliseconds, so each phone's list is cached until its data changes. */
const sorted = new WeakMap<ContactsData, SortedContacts>()

/** Returns all contacts, sorted by name. */
function contactsOf(ui: Ui): readonly Contact[] {
  const data = ui.data() as ContactsData
  const { added, deleted } = data
  const known = sorted.get(data)
  if (known?.added === added.length && known.deleted === deleted.length) return known.list
  const gone = new Set(deleted)
  const list = [...everyone, ...added]
    .filter((contact) => !gone.has(contact.id))
    .sort((a, b) => collator.compare(a.name, b.name))
  sorted.set(data, { added: added.length, deleted: deleted.length, list })
  return list
}

function avatar(contact: Contact, size: number): View {
  const background = COLORS[contact.id % COLORS.length] ?? '#546e7a'
  const initial = Array.from(contact.name)[0]?.toUpperCase() ?? '?'
  return frame({ width: size, height: size, box: { color: background, radius: 'full' } }, [
    view('android.view.View', {
      width: 'fill',
      height: 'fill',
      mark: { kind: 'initial', text: initial, size: size * 0.45, color: '#ffffff' },
    }),
  ])
}

function contactRow(ui: Ui, contact: Contact): View {
  return row(
    {
      id: ui.id('cliv_row'),
      width: 'fill',
      padding: { left: 20, right: 20 },
      onClick: () => ui.open(DETAIL, { contact: String(contact.id) }),
    },
    [
      avatar(contact, 40),
      label(ui.theme, contact.name, {
        id: ui.id('cliv_name_textview'),
        margin: { left: 20 },
        weight: 1,
        look: { size: 17, maxLines: 1 },
      }),
    ],
  )
}

function main(ui: Ui): View {
  const t = ui.theme
  const query = ui.field('query')
  const wanted = query.text.trim().toLocaleLowerCase()
  const all = contactsOf(ui)
  const found =
    wanted === ''
      ? all
      : all.filter((c) => c.name.toLocaleLowerCase().includes(wanted) || c.phone.includes(wanted))
  const searchBar = row(
    {
      width: 'fill',
      height: 52,
      margin: { left: 16, right: 16, top: 12, bottom: 8 },
      padding: { left: 16, right: 4 },
      box: { color: t.field, radius: 'full' },
    },
    [
      icon('search', 24, t.secondary),
      editText(
        t,
        query,
        {
          hint: `Search ${all.length.toLocaleString(ui.configuration.locale)} contacts`,
          focused: ui.isFocused(query),
          action: 'search',
          onAction: () => ui.hideKeyboard(),
          onChange: () => (ui.scroll('list').offset = 0),
        },
        { id: ui.id('search_view'), weight: 1, padding: { left: 12, right: 8 } },
      ),
      ...(query.text === ''
        ? []
        : [
            iconButton(t, 'close', 'Clear search', () => {
              query.text = ''
              query.anchor = query.head = 0
            }),
          ]),
    ],
  )
  return frame({ width: 'fill', height: 'fill' }, [
    column({ height: 'fill' }, [
      searchBar,
      ...(found.length === 0
        ? [label(t, 'No contacts found', { id: ui.id('empty'), margin: 24, look: { color: t.secondary } })]
        : []),
      recyclerView(
        ui.scroll('list'),
        found.length,
        64,
        (index) => {
          const contact = found[index]
          return contact ? contactRow(ui, contact) : frame({})
        },
        { id: 'android:id/list', weight: 1, height: 'wrap' },
      ),
    ]),
    floatingButton(t, 'person_add', 'Create contact', () => ui.open(EDIT), ui.id('floating_action_button')),
  ])
}

function infoRow(ui: Ui, glyph: string, text: string, kind: string): View {
  return row({ width: 'fill', minHeight: 68, padding: { left: 24, right: 24 } }, [
    icon(glyph, 24, ui.theme.primary, { margin: { right: 24 } }),
    column({ width: 'wrap', weight: 1 }, [
      label(ui.theme, text, { look: { size: 17 } }),
      label(ui.theme, kind, { look: { size: 14, color: ui.theme.secondary } }),
    ]),
  ])
}

function detail(ui: Ui): View {
  const t = ui.theme
  const contact = contactsOf(ui).find((c) => String(c.id) === ui.intent.extras['contact'])
  if (!contact) return label(t, 'This contact was deleted', { margin: 24 })
  const remove = (): void => {
    const data = ui.data() as ContactsData
    data.added = data.added.filter((other) => other.id !== contact.id)
    if (contact.id <= everyone.length) data.deleted.push(contact.id)
    ui.finish()
  }
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), '', () => ui.finish(), [
      iconButton(t, 'delete_outline', 'Delete', remove, { id: ui.id('menu_delete') }),
    ]),
    column({ gravity: { x: 'center' }, padding: { top: 16, bottom: 24 } }, [
      avatar(contact, 120),
      label(t, contact.name, {
        id: ui.id('large_title'),
        margin: { top: 16, left: 24, right: 24 },
        look: { size: 28, align: 'center' },
      }),
    ]),
    column(
      {
        margin: { left: 12, right: 12 },
        padding: { top: 8, bottom: 8 },
        box: { color: t.surface, radius: 24 },
      },
      [
        infoRow(ui, 'call', contact.phone, 'Mobile'),
        ...(contact.email === '' ? [] : [infoRow(ui, 'mail_outline', contact.email, 'Email')]),
      ],
    ),
  ])
}

function editor(ui: Ui): View {
  const t = ui.theme
  const data = ui.data() as ContactsData
  const local = ui.local('editor', () => ({ missing: false }))
  const fields = { name: ui.field('name'), phone: ui.field('phone'), email: ui.field('email') }
  const save = (): void => {
    const name = fields.name.text.trim()
    local.missing = name === ''
    if (local.missing) return
    const id = Math.max(everyone.length, ...data.added.map((contact) => contact.id)) + 1
    data.added.push({ id, name, phone: fields.phone.text, email: fields.email.text })
    ui.finish()
    ui.open(DETAIL, { contact: String(id) })
  }
  const input = (
    field: keyof typeof fields,
    hint: string,
    inputType: number,
    next: keyof typeof fields | null,
  ): View =>
    outlined(
      t,
      fields[field],
      {
        hint,
        focused: ui.isFocused(fields[field]),
        inputType,
        action: next ? 'next' : 'done',
        onAction: () => (next ? ui.focus(fields[next]) : ui.hideKeyboard()),
      },
      { id: ui.id(`${field}_field`), margin: { top: 16 } },
    )
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Create contact', () => ui.finish(), [
      button(t, 'Save', save, { id: ui.id('editor_menu_save_button'), margin: { right: 8 } }),
    ]),
    scrollView(ui.scroll('form'), { height: 'wrap', weight: 1, padding: { left: 24, right: 24 } }, [
      frame({ width: 'fill', gravity: { x: 'center' }, padding: 16 }, [
        icon('account_circle', 96, t.primary),
      ]),
      input('name', 'Name', INPUT_TYPE.text, 'phone'),
      ...(local.missing
        ? [
            label(t, 'Enter a name', {
              id: ui.id('error'),
              margin: { top: 4, left: 16 },
              look: { size: 14, color: t.error },
            }),
          ]
        : []),
      input('phone', 'Phone', INPUT_TYPE.phone, 'email'),
      input('email', 'Email', INPUT_TYPE.email, null),
    ]),
  ])
}

export const contacts: App = {
  package: 'com.android.contacts',
  label: 'Contacts',
  icon: { glyph: 'person', color: '#ffffff', background: '#1a73e8' },
  versionName: '14',
  versionCode: 34,
  uid: 10_045,
  launcherActivity: MAIN,
  activities: { [MAIN]: main, [DETAIL]: detail, [EDIT]: editor },
  actions: { 'android.intent.action.INSERT': EDIT },
  initialData: (): ContactsData => ({ added: [], deleted: [] }),
}
