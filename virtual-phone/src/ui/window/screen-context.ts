/** Implements `Ui`, the interface between an activity's screen and the system. */
import { type Configuration, type PhoneFacts, type Ui } from '../apps/app.js'
import { DARK, LIGHT } from '../toolkit/theme.js'
import { type Activity } from './activity.js'
import { type Model } from './model.js'

interface ContextParts {
  model: Model
  facts: PhoneFacts
  now: () => Date
  landscape: boolean
  onConfigure: (change: Partial<Configuration>) => void
}

function remember<T>(map: Map<string, T>, name: string, make: () => T): T {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

export function screenContext(activity: Activity, parts: ContextParts): Ui {
  const { model, facts, now, landscape } = parts
  const start: Ui['start'] = (intent) => {
    model.start(intent)
  }
  return {
    package: activity.package,
    intent: activity.intent,
    theme: model.configuration.night ? DARK : LIGHT,
    facts,
    configuration: model.configuration,
    apps: model.allApps(),
    recentTasks: model
      .recentTasks()
      .map((task) => ({
        id: task.id,
        package: task.package,
        label: model.app(task.package)?.label ?? task.package,
      })),
    now: now(),
    landscape,
    location: model.isSwitchOn('location') ? model.system.location : null,
    notify: ({ package: name = activity.package, ...rest }) => {
      model.notify({ ...rest, package: name, whenMs: now().getTime() })
    },
    dataOf: (packageName) => model.dataOf(packageName),
    breakDown: (kind) => {
      if (kind === 'crash') model.crash(activity.package)
      else model.notResponding(activity.package)
    },
    data: () => model.dataOf(activity.package),
    local: <T extends object>(name: string, init: () => T) => remember(activity.locals, name, init) as T,
    scroll: (name) => remember(activity.scrolls, name, () => ({ offset: 0, limit: 0 })),
    field: (name, text = '') =>
      remember(activity.fields, name, () => ({ text, anchor: text.length, head: text.length })),
    isFocused: (field) => activity.focusedField === field,
    focus: (field) => {
      model.focusField(field, true)
    },
    hideKeyboard: () => {
      model.hideKeyboard()
    },
    id: (name) => `${activity.package}:id/${name}`,
    open: (className, extras = {}) => {
      start({ component: { package: activity.package, className }, action: 'open', categories: [], extras })
    },
    start,
    switchTo: (taskId) => {
      model.switchTo(taskId)
    },
    closeTasks: () => {
      model.closeTasks()
    },
    finish: () => {
      model.finish(activity)
    },
    onBack: (handler) => {
      activity.onBack = handler
    },
    showDialog: (build) => {
      model.openDialog(activity, build)
    },
    dismissDialog: () => {
      model.closeDialog(activity)
    },
    configure: parts.onConfigure,
    screenLock: model.screenLock,
  }
}
