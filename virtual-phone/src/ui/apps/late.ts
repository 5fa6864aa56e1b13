/**
 * Screens that are drawn late, for agents that observe too early: after a pause, a spinner, an animation, and
 * on each scroll. Part of `trouble.ts`.
 */
import { button, column, label, recyclerView, row, toolbar } from '../toolkit/widgets.js'
import { view, type View } from '../toolkit/view.js'
import { type Screen, type Ui } from './app.js'

const PACKAGE = 'com.phonerack.trouble'
export const LATE = `${PACKAGE}.LateActivity`
const SPINNER = `${PACKAGE}.SpinnerActivity`
const ANIMATION = `${PACKAGE}.AnimationActivity`
const LIST = `${PACKAGE}.LoadingListActivity`
const NEVER = `${PACKAGE}.NeverStillActivity`
const SECRET = `${PACKAGE}.LateSecretActivity`

/** Milliseconds. */
const lateMs = { pause: 700, spinner: 3000, animation: 900, rows: 600, secret: 400 }
const PAGE = 20
const ROW_HEIGHT = 56

/** Returns when the activity opened, in milliseconds since 1970. */
const openedAt = (ui: Ui): number => ui.local('opened', () => ({ at: ui.now.getTime() })).at

/** Whether the time has come. Until then, the view with `changesAt` is built again at that time. */
const isDue = (ui: Ui, at: number): boolean => ui.now.getTime() >= at

function late(ui: Ui): View {
  const t = ui.theme
  const local = ui.local('late', () => ({ asked: false, dueAt: Infinity }))
  // @param now the time when the screen was built, which can be long before a tap
  if (local.asked) local.dueAt = ui.now.getTime() + lateMs.pause
  local.asked = false
  const done = isDue(ui, local.dueAt)
  const action = (id: string, text: string, onClick: () => void): View =>
    button(t, text, onClick, { id: ui.id(id), width: 'fill', height: 48, margin: { top: 12 } })
  return column({ height: 'fill' }, [
    toolbar(t, ui.id('toolbar'), 'Late', () => ui.finish()),
    column({ padding: { left: 24, right: 24 } }, [
      action('pause', 'Answer later', () => (local.asked = true)),
      label(t, done ? 'Answered' : 'No answer', {
        id: ui.id('answer'),
        ...(done || local.dueAt === Infinity ? {} : { changesAt: local.dueAt }),
      }),
      action('spinner', 'Spinner', () => ui.open(SPINNER)),
      action('animation', 'Animation', () => ui.open(ANIMATION)),
      action('list', 'Loading list', () => ui.open(LIST)),
      action('never', 'Never still', () => ui.open(NEVER)),
      action('secret', 'Late secret', () => ui.open(SECRET)),
    ]),
  ])
}

function spinner(ui: Ui): View {
  const dueAt = openedAt(ui) + lateMs.spinner
  const turn = (ui.now.getTime() % 1200) / 1200
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Spinner', () => ui.finish()),
    isDue(ui, dueAt)
      ? label(ui.theme, 'Loaded', { id: ui.id('loaded') })
      : view('android.widget.ProgressBar', {
          id: ui.id('progress'),
          width: 96,
          height: 96,
          moving: true,
          mark: {
            kind: 'dial',
            hour: turn,
            minute: turn,
            second: turn,
            color: ui.theme.outline,
            face: ui.theme.background,
            accent: ui.theme.primary,
          },
        }),
  ])
}

function animation(ui: Ui): View {
  const from = openedAt(ui)
  const part = Math.min(1, (ui.now.getTime() - from) / lateMs.animation)
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Animation', () => ui.finish()),
    label(ui.theme, part < 1 ? 'Moving' : 'Arrived', {
      id: ui.id('card'),
      margin: { top: 24 + Math.round(400 * part), left: 24 },
      moving: part < 1,
    }),
  ])
}

function loadingList(ui: Ui): View {
  const scroll = ui.scroll('list')
  const local = ui.local('list', () => ({ count: PAGE, dueAt: Infinity }))
  if (isDue(ui, local.dueAt)) {
    local.count += PAGE
    local.dueAt = Infinity
  }
  const isNearEnd = scroll.offset > (local.count - PAGE) * ROW_HEIGHT
  if (isNearEnd && local.dueAt === Infinity) local.dueAt = ui.now.getTime() + lateMs.rows
  const makeRow = (index: number): View =>
    row({ width: 'fill', height: ROW_HEIGHT }, [label(ui.theme, `Row ${index + 1}`)])
  return column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Loading list', () => ui.finish()),
    recyclerView(scroll, local.count, ROW_HEIGHT, makeRow, {
      id: ui.id('rows'),
      height: 'wrap',
      weight: 1,
      ...(local.dueAt === Infinity ? {} : { changesAt: local.dueAt }),
    }),
  ])
}

/** The picture changes in each frame, since equal pictures are not sent. */
const neverStill: Screen = (ui) =>
  column({ height: 'fill' }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Never still', () => ui.finish()),
    label(ui.theme, String(Math.floor(ui.now.getTime() / 30)), { id: ui.id('count'), moving: true }),
  ])

function lateSecret(ui: Ui): View {
  const dueAt = openedAt(ui) + lateMs.secret
  const done = isDue(ui, dueAt)
  return column({ height: 'fill', secure: true }, [
    toolbar(ui.theme, ui.id('toolbar'), 'Late secret', () => ui.finish()),
    label(ui.theme, done ? 'Unlocked' : 'Locked', {
      id: ui.id('secret'),
      ...(done ? {} : { changesAt: dueAt }),
    }),
  ])
}

export const lateActivities: Readonly<Record<string, Screen>> = {
  [LATE]: late,
  [SPINNER]: spinner,
  [ANIMATION]: animation,
  [LIST]: loadingList,
  [NEVER]: neverStill,
  [SECRET]: lateSecret,
}
