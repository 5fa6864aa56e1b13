/** Android's common widgets as views, with Material 3 styling. All apps use them. */
import { type EditState } from './edit-state.js'
import { type Theme } from './theme.js'
import {
  view,
  type EditBinding,
  type ScrollState,
  type TextStyle,
  type View,
  type ViewProps,
} from './view.js'

export function column(props: ViewProps, children: readonly View[]): View {
  return view('android.widget.LinearLayout', { arrangement: 'column', width: 'fill', ...props }, children)
}

export function row(props: ViewProps, children: readonly View[]): View {
  return view(
    'android.widget.LinearLayout',
    { arrangement: 'row', gravity: { y: 'center' }, ...props },
    children,
  )
}

export function frame(props: ViewProps, children: readonly View[] = []): View {
  return view('android.widget.FrameLayout', props, children)
}

type TextProps = ViewProps & { look?: Partial<TextStyle> }

export function label(theme: Theme, text: string, props: TextProps = {}): View {
  const { look, ...rest } = props
  const style: TextStyle = {
    size: 16,
    weight: 400,
    color: theme.text,
    maxLines: 100,
    align: 'start',
    ...look,
  }
  return view('android.widget.TextView', { text, style, ...rest })
}

export function icon(glyph: string, size: number, color: string, props: ViewProps = {}): View {
  return view('android.widget.ImageView', { mark: { kind: 'icon', glyph, size, color }, ...props })
}

/** Returns a button with an icon; `description` is its text in the tree. */
export function iconButton(
  theme: Theme,
  glyph: string,
  description: string,
  onClick: () => void,
  props: ViewProps = {},
): View {
  return view('android.widget.ImageButton', {
    mark: { kind: 'icon', glyph, size: 24, color: theme.text },
    padding: 12,
    description,
    onClick,
    ...props,
  })
}

export function button(
  theme: Theme,
  text: string,
  onClick: () => void,
  props: ViewProps & { kind?: 'filled' | 'text' } = {},
): View {
  const { kind = 'filled', ...rest } = props
  const filled = kind === 'filled'
  const enabled = rest.enabled ?? true
  return view('android.widget.Button', {
    text,
    style: {
      size: 14,
      weight: 500,
      color: filled ? theme.onPrimary : theme.primary,
      maxLines: 1,
      align: 'center',
    },
    gravity: { y: 'center' },
    height: 40,
    padding: { left: filled ? 24 : 12, right: filled ? 24 : 12 },
    minWidth: 48,
    box: filled ? { color: theme.primary, radius: 'full' } : null,
    opacity: enabled ? 1 : 0.4,
    onClick,
    ...rest,
  })
}

export function toggle(theme: Theme, on: boolean, props: ViewProps = {}): View {
  return view('android.widget.Switch', {
    checkable: true,
    checked: on,
    mark: {
      kind: 'switch',
      on,
      color: on ? theme.onPrimary : theme.secondary,
      track: on ? theme.primary : theme.field,
    },
    ...props,
  })
}

export function checkMark(theme: Theme, on: boolean, shape: 'box' | 'round', props: ViewProps = {}): View {
  return view(shape === 'box' ? 'android.widget.CheckBox' : 'android.widget.RadioButton', {
    checkable: true,
    checked: on,
    mark: { kind: 'check', on, shape, color: theme.primary, outline: theme.secondary },
    ...props,
  })
}

/** `InputType` flags of the world's fields. */
export const INPUT_TYPE = {
  text: 0x1,
  multiline: 0x20001,
  password: 0x81,
  phone: 0x3,
  email: 0x21,
  uri: 0x11,
} as const

interface FieldOptions {
  hint: string
  focused: boolean
  multiline?: boolean
  password?: boolean
  inputType?: number
  action?: EditBinding['action']
  onChange?: (text: string) => void
  onAction?: () => void
  look?: Partial<TextStyle>
}

const nothing = (): void => undefined

export function editText(theme: Theme, state: EditState, options: FieldOptions, props: ViewProps = {}): View {
  const multiline = options.multiline ?? false
  const inputType = options.password
    ? INPUT_TYPE.password
    : multiline
      ? INPUT_TYPE.multiline
      : INPUT_TYPE.text
  return view('android.widget.EditText', {
    text: state.text,
    style: {
      size: 16,
      weight: 400,
      color: theme.text,
      maxLines: multiline ? 10_000 : 1,
      align: 'start',
      ...options.look,
    },
    gravity: { y: multiline ? 'start' : 'center' },
    minHeight: 48,
    clickable: true,
    longClickable: true,
    focusable: true,
    focused: options.focused,
    password: options.password ?? false,
    edit: {
      state,
      hint: options.hint,
      hintColor: theme.secondary,
      multiline,
      maxLength: 100_000,
      inputType: options.inputType ?? inputType,
      action: options.action ?? (multiline ? 'newline' : 'done'),
      focused: options.focused,
      cursorColor: theme.primary,
      selectionColor: theme.dark ? '#3d5a94' : '#b9ccf7',
      onChange: options.onChange ?? nothing,
      onAction: options.onAction ?? nothing,
    },
    ...props,
  })
}

/** Returns a field with an outline around it. */
export function outlined(theme: Theme, state: EditState, options: FieldOptions, props: ViewProps = {}): View {
  const border = { color: options.focused ? theme.primary : theme.outline, width: options.focused ? 2 : 1 }
  const box = { color: theme.surface, radius: 8, border }
  return editText(theme, state, options, {
    width: 'fill',
    minHeight: 56,
    padding: { left: 16, right: 16, top: 8, bottom: 8 },
    box,
    ...props,
  })
}

export function scrollView(scroll: ScrollState, props: ViewProps, children: readonly View[]): View {
  return view(
    'android.widget.ScrollView',
    { arrangement: 'column', width: 'fill', height: 'fill', scroll, ...props },
    children,
  )
}

/** Returns a list that builds only the rows on the screen. */
export function recyclerView(
  scroll: ScrollState,
  count: number,
  rowHeight: number,
  makeRow: (index: number) => View,
  props: ViewProps = {},
): View {
  const list = { count, rowHeight, row: makeRow }
  return view('androidx.recyclerview.widget.RecyclerView', {
    width: 'fill',
    height: 'fill',
    focusable: true,
    scroll,
    list,
    ...props,
  })
}

/** Returns the round button above a list's lower corner. */
export function floatingButton(
  theme: Theme,
  glyph: string,
  description: string,
  onClick: () => void,
  id: string,
): View {
  return view('com.google.android.material.floatingactionbutton.FloatingActionButton', {
    id,
    description,
    place: { x: 'end', y: 'end' },
    margin: 20,
    width: 60,
    height: 60,
    padding: 18,
    box: { color: theme.container, radius: 18, shadow: true },
    mark: { kind: 'icon', glyph, size: 26, color: theme.onContainer },
    onClick,
  })
}

/** Returns the app bar: back arrow (or none), title, actions. */
export function toolbar(
  theme: Theme,
  id: string,
  title: string,
  onUp: (() => void) | null,
  actions: readonly View[] = [],
): View {
  const up = onUp ? [iconButton(theme, 'arrow_back', 'Navigate up', onUp)] : []
  const heading = label(theme, title, {
    weight: 1,
    padding: { left: onUp ? 8 : 16, right: 8 },
    look: { size: 22, maxLines: 1 },
  })
  return view(
    'androidx.appcompat.widget.Toolbar',
    {
      id,
      arrangement: 'row',
      width: 'fill',
      height: 64,
      padding: { left: 4, right: 4 },
      gravity: { y: 'center' },
    },
    [...up, heading, ...actions],
  )
}
