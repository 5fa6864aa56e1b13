/**
 * A bank: user name and password (demo / phonerack), a code that arrives as a message, and a balance hidden
 * from screenshots.
 */
import { numberFormat } from '../locale/formatters.js'
import { randomInt } from 'node:crypto'
import {
  button,
  column,
  icon,
  INPUT_TYPE,
  label,
  outlined,
  row,
  scrollView,
  toolbar,
} from '../toolkit/widgets.js'
import { type View } from '../toolkit/view.js'
import { type App, type Ui } from './app.js'
import { receive } from './messages.js'

const LOGIN = 'com.phonerack.bank.LoginActivity'
const CODE = 'com.phonerack.bank.CodeActivity'
const ACCOUNT = 'com.phonerack.bank.AccountActivity'
const TRIES = 3
const CODE_LASTS_MS = 5 * 60_000

interface BankData {
  loggedIn: boolean
  code: { text: string; sentMs: number; wrong: number } | null
}

const bankOf = (ui: Ui): BankData => ui.data() as BankData

function sendCode(ui: Ui): void {
  const text = String(randomInt(0, 1_000_000)).padStart(6, '0')
  bankOf(ui).code = { text, sentMs: ui.now.getTime(), wrong: 0 }
  receive(ui, 'Rack Bank', `${text} is your Rack Bank code. It is valid for 5 minutes.`)
}

const errorText = (ui: Ui, text: string): View[] =>
  text === ''
    ? []
    : [
        label(ui.theme, text, {
          id: ui.id('error'),
          margin: { top: 12 },
          look: { size: 14, color: ui.theme.error },
        }),
      ]

function form(ui: Ui, children: readonly View[]): View {
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Rack Bank', null),
    scrollView(ui.scroll('form'), { height: 'wrap', weight: 1, padding: 24, gravity: { x: 'center' } }, [
      icon('account_balance', 64, ui.theme.primary, { margin: { top: 16, bottom: 16 } }),
      ...children,
    ]),
  ])
}

function login(ui: Ui): View {
  const t = ui.theme
  if (bankOf(ui).loggedIn) return account(ui)
  const user = ui.field('user')
  const password = ui.field('password')
  const local = ui.local('login', () => ({ error: '' }))
  const submit = (): void => {
    ui.hideKeyboard()
    if (user.text.trim() === '' || password.text === '') local.error = 'Enter user name and password'
    else if (user.text.trim() !== 'demo' || password.text !== 'phonerack')
      local.error = 'User name or password is wrong'
    else {
      local.error = ''
      sendCode(ui)
      ui.open(CODE)
    }
  }
  return form(ui, [
    outlined(
      t,
      user,
      { hint: 'User name', focused: ui.isFocused(user), action: 'next', onAction: () => ui.focus(password) },
      { id: ui.id('user') },
    ),
    outlined(
      t,
      password,
      { hint: 'Password', focused: ui.isFocused(password), password: true, onAction: submit },
      { id: ui.id('password'), margin: { top: 16 } },
    ),
    ...errorText(ui, local.error),
    button(t, 'Log in', submit, { id: ui.id('login'), width: 'fill', height: 48, margin: { top: 24 } }),
    label(t, 'User demo, password phonerack', {
      margin: { top: 16 },
      look: { size: 13, color: t.secondary },
    }),
  ])
}

function codeScreen(ui: Ui): View {
  const t = ui.theme
  const data = bankOf(ui)
  const field = ui.field('code')
  const local = ui.local('code', () => ({ error: '' }))
  const again = (): void => {
    sendCode(ui)
    field.text = ''
    field.anchor = field.head = 0
  }
  const submit = (): void => {
    const { code } = data
    if (!code || ui.now.getTime() - code.sentMs > CODE_LASTS_MS) local.error = 'This code is no longer valid'
    else if (field.text.trim() === code.text) {
      data.loggedIn = true
      data.code = null
      ui.hideKeyboard()
      ui.finish()
    } else if (++code.wrong >= TRIES) {
      local.error = 'Wrong three times: a new code was sent'
      again()
    } else local.error = 'This code is wrong'
  }
  return form(ui, [
    label(t, 'Enter the code that we have sent you', { id: ui.id('prompt'), margin: { bottom: 16 } }),
    outlined(
      t,
      field,
      { hint: '6-digit code', focused: ui.isFocused(field), inputType: INPUT_TYPE.phone, onAction: submit },
      { id: ui.id('code') },
    ),
    ...errorText(ui, local.error),
    button(t, 'Confirm', submit, { id: ui.id('confirm'), width: 'fill', height: 48, margin: { top: 24 } }),
    button(t, 'Send a new code', again, { id: ui.id('resend'), kind: 'text', margin: { top: 8 } }),
  ])
}

function account(ui: Ui): View {
  const t = ui.theme
  const money = numberFormat(ui.configuration.locale, { style: 'currency', currency: 'EUR' })
  const entries: readonly (readonly [string, number])[] = [
    ['Salary', 2840],
    ['Rent', -920],
    ['Groceries', -63.4],
  ]
  return column({ height: 'fill', secure: true }, [
    toolbar(t, ui.id('toolbar'), 'Account', null, [
      button(t, 'Log out', () => (bankOf(ui).loggedIn = false), { id: ui.id('logout'), kind: 'text' }),
    ]),
    column({ margin: 16, padding: 24, width: 'fill', box: { color: t.container, radius: 24 } }, [
      label(t, 'Balance', { look: { size: 14, color: t.onContainer } }),
      label(t, money.format(1856.6), { id: ui.id('balance'), look: { size: 34, color: t.onContainer } }),
    ]),
    ...entries.map(([name, amount]) =>
      row({ width: 'fill', padding: { left: 24, right: 24, top: 12, bottom: 12 } }, [
        label(t, name, { weight: 1 }),
        label(t, money.format(amount), { look: { weight: 500, color: amount < 0 ? t.error : t.text } }),
      ]),
    ),
  ])
}

export const bank: App = {
  package: 'com.phonerack.bank',
  label: 'Rack Bank',
  icon: { glyph: 'account_balance', color: '#ffffff', background: '#0b57d0' },
  versionName: '1.0',
  versionCode: 10,
  uid: 10_108,
  launcherActivity: LOGIN,
  activities: { [LOGIN]: login, [CODE]: codeScreen, [ACCOUNT]: account },
  actions: {},
  initialData: (): BankData => ({ loggedIn: false, code: null }),
}
