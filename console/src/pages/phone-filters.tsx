/** Limits the list of phones: by state, the key that created them, and metadata. The address of the page has the choice. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type ReactNode } from 'react'
import { listKeys, phoneStatuses, type PhoneFilter } from '../api/projects'

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

const Choice = ({ label, value, onChange, children }: ChoiceProps) => (
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

export function PhoneFilters({ project, filter }: { project: string; filter: PhoneFilter }) {
  const navigate = useNavigate()
  const keys = useQuery({ queryKey: ['keys', project], queryFn: () => listKeys(project) })
  const choose = (name: keyof PhoneFilter, value: string): void => {
    const pairs = Object.entries({ ...filter, [name]: value }).filter(([, each]) => each !== '')
    void navigate({ to: '.', search: Object.fromEntries(pairs), replace: true })
  }
  return (
    <>
      <Choice label="State" value={filter.status ?? ''} onChange={(value) => choose('status', value)}>
        <option value="">all in use</option>
        {phoneStatuses.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Choice>
      <Choice label="Key" value={filter.key ?? ''} onChange={(value) => choose('key', value)}>
        <option value="">any</option>
        {filter.key !== undefined && !keys.data?.data.some(({ id }) => id === filter.key) && (
          <option value={filter.key}>{filter.key}</option>
        )}
        {keys.data?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Metadata value={filter.metadata ?? ''} onChange={(value) => choose('metadata', value)} />
    </>
  )
}

function Metadata({ value, onChange }: Pick<ChoiceProps, 'value' | 'onChange'>) {
  const [isWrong, setIsWrong] = useState(false)
  const hint = useId()
  const take = (text: string): void => {
    const trimmed = text.trim()
    const isRight = trimmed === '' || /^[^=]+=/.test(trimmed)
    setIsWrong(!isRight)
    if (isRight && trimmed !== value) onChange(trimmed)
  }
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        const text = new FormData(event.currentTarget).get('metadata')
        take(typeof text === 'string' ? text : '')
      }}
    >
      <label className="flex items-center gap-2">
        <span className="text-muted">Metadata</span>
        <input
          key={value}
          name="metadata"
          defaultValue={value}
          placeholder="name=value"
          maxLength={700}
          autoComplete="off"
          aria-invalid={isWrong}
          aria-describedby={isWrong ? hint : undefined}
          className="h-9 w-44 rounded-md border border-control bg-surface px-3"
          onBlur={({ target }) => take(target.value)}
        />
      </label>
      {isWrong && (
        <span id={hint} role="alert" className="text-[13px] text-danger">
          Write name=value.
        </span>
      )}
    </form>
  )
}
