/** The screens of Settings that set a screen lock, under the class names of AOSP 14. Used by `settings.ts`. */
import { button, column, label, outlined, scrollView, toolbar } from '../../toolkit/widgets.js'
import { type View } from '../../toolkit/view.js'
import { type Ui } from '../app.js'
import { preference } from './entry-view.js'

const CHOOSE_LOCK = 'com.android.settings.password.ChooseLockGeneric'
export const SET_NEW_PASSWORD = 'com.android.settings.password.SetNewPasswordActivity'
const CHOOSE_PIN = 'com.android.settings.password.ChooseLockPassword'
const SHORTEST = 4

/**
 * Returns the choice between no lock and a PIN. The choice of no lock removes a lock without asking for the PIN;
 * Android would ask.
 */
function chooseLock(ui: Ui): View {
  const none = (): void => {
    ui.screenLock.set(null)
    ui.finish()
  }
  const pin = (): void => {
    ui.finish()
    ui.open(CHOOSE_PIN)
  }
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('action_bar'), 'Choose a screen lock', () => ui.finish()),
    scrollView(ui.scroll('locks'), { height: 'wrap', weight: 1 }, [
      preference(ui, { title: 'None' }, none, null, null),
      preference(ui, { title: 'PIN' }, pin, null, null),
    ]),
  ])
}

/** Asks for a PIN twice in one activity, as AOSP does. */
function choosePin(ui: Ui): View {
  const t = ui.theme
  const field = ui.field('password')
  const local = ui.local('pin', () => ({ first: null as string | null, error: '', opened: false }))
  if (!local.opened) {
    local.opened = true
    ui.focus(field)
  }
  const next = (): void => {
    const typed = field.text
    field.text = ''
    field.anchor = field.head = 0
    if (local.first === null) {
      if (typed.length < SHORTEST) local.error = 'PIN must be at least 4 digits'
      else {
        local.first = typed
        local.error = ''
      }
    } else if (typed === local.first) {
      ui.screenLock.set(typed)
      ui.finish()
    } else {
      local.first = null
      local.error = 'PINs don’t match'
    }
  }
  return column({ height: 'fill', padding: 24 }, [
    label(t, local.first === null ? 'Set a PIN' : 'Re-enter your PIN', {
      id: ui.id('headerText'),
      look: { size: 24 },
    }),
    outlined(
      t,
      field,
      { hint: '', focused: ui.isFocused(field), password: true, onAction: next },
      { id: ui.id('password_entry'), margin: { top: 24 } },
    ),
    ...(local.error === ''
      ? []
      : [label(t, local.error, { id: ui.id('message'), look: { size: 14, color: t.error } })]),
    button(t, local.first === null ? 'Next' : 'Confirm', next, {
      id: ui.id('next_button'),
      margin: { top: 24 },
    }),
  ])
}

export const screenLockScreens = {
  [CHOOSE_LOCK]: chooseLock,
  [SET_NEW_PASSWORD]: chooseLock,
  [CHOOSE_PIN]: choosePin,
}
