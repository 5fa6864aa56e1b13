/** Filters of a list: a choice, a text, and a switch. */
import { useId, useState, type ReactNode } from 'react'

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

export const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
  <label className="flex items-center gap-2">
    <span className="text-muted">{label}</span>
    <select
      className="h-9 max-w-48 truncate rounded-md border border-control bg-surface pr-8 pl-3"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {children}
    </select>
  </label>
)

/** An option for a value of the page's address that the list of options does not have. */
export const Unlisted = ({ value, listed }: { value: string | undefined; listed: readonly string[] }) =>
  value === undefined || listed.includes(value) ? null : <option value={value}>{value}</option>

interface TypedProps {
  label: string
  value: string
  placeholder: string
  maxLength: number
  /** What is wrong with a text; null: nothing. */
  check: (text: string) => string | null
  /** Values that the browser offers, with names. */
  offered?: readonly { value: string; name: string }[]
  onChange: (value: string) => void
}

/** A filter that is applied by Enter, or when its field is left. */
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
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        const text = new FormData(event.currentTarget).get('typed')
        take(typeof text === 'string' ? text : '')
      }}
    >
      <label className="flex items-center gap-2">
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
          className="h-9 w-44 rounded-md border border-control bg-surface px-3"
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
  <label className="flex h-9 items-center gap-2">
    <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
    <span className="text-muted">{label}</span>
  </label>
)
