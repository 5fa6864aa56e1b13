/** Filters of a list: a choice, a text, and a switch. */
import { useId, useState, type ReactNode } from 'react'
import { Select } from './select'
import { textOf } from './field'

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

/** Shows the label above its field on narrow screens, and beside it on others. */
const labelled = 'grid min-w-0 gap-1 sm:flex sm:items-center sm:gap-2'

/** The row of a list's filters: two columns on narrow screens. */
export const Filters = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap sm:items-center">{children}</div>
)

export const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
  <label className={labelled}>
    <span className="text-muted">{label}</span>
    <Select
      className="w-full sm:w-auto sm:max-w-48"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {children}
    </Select>
  </label>
)

/** An option for a value in the page's address that the list of options does not contain. */
export const Unlisted = ({ value, listed }: { value: string | undefined; listed: readonly string[] }) =>
  value === undefined || listed.includes(value) ? null : <option value={value}>{value}</option>

interface TypedProps {
  label: string
  value: string
  placeholder: string
  maxLength: number
  /** Returns the error of a text; null: the text is valid. */
  check: (text: string) => string | null
  /** Values that the browser offers, with names. */
  offered?: readonly { value: string; name: string }[]
  onChange: (value: string) => void
}

/** A filter that applies on Enter, or when its field loses the focus. */
export function Typed({ label, value, placeholder, maxLength, check, offered = [], onChange }: TypedProps) {
  const id = useId()
  const [wrong, setWrong] = useState<string | null>(null)
  const take = (text: string): void => {
    const trimmed = text.trim()
    const problem = trimmed === '' ? null : check(trimmed)
    setWrong(problem)
    if (problem === null && trimmed !== value) onChange(trimmed)
  }
  return (
    <form
      className="grid min-w-0 gap-1 sm:flex sm:flex-wrap sm:items-center sm:gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        take(textOf(event.currentTarget, 'typed'))
      }}
    >
      <label className={labelled}>
        <span className="text-muted">{label}</span>
        <input
          key={value}
          name="typed"
          defaultValue={value}
          placeholder={placeholder}
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={wrong !== null}
          aria-describedby={wrong === null ? undefined : `${id}-wrong`}
          list={offered.length === 0 ? undefined : `${id}-offered`}
          className="field w-full sm:w-44"
          onBlur={({ target }) => take(target.value)}
        />
      </label>
      {offered.length > 0 && (
        <datalist id={`${id}-offered`}>
          {offered.map(({ value: each, name }) => (
            <option key={each} value={each} label={name} />
          ))}
        </datalist>
      )}
      {wrong !== null && (
        <span id={`${id}-wrong`} role="alert" className="text-[13px] text-danger">
          {wrong}
        </span>
      )}
    </form>
  )
}

interface SwitchProps {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export const Switch = ({ label, isOn, onChange }: SwitchProps) => (
  <label className="flex h-size items-center gap-2">
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    <span className="text-muted">{label}</span>
  </label>
)
