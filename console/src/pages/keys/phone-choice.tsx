/** Limits a key to 1 to 20 phones. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/client'

const max = 20

interface Props {
  project: string
  /** Null: all phones. */
  chosen: readonly string[] | null
  onChange: (phones: readonly string[] | null) => void
}

export function PhoneChoice({ project, chosen, onChange }: Props) {
  const list = useQuery({
    queryKey: ['phones', project, 'to choose'],
    queryFn: () => call('GET /projects/:project/phones', { project }),
    enabled: chosen !== null,
  })
  const toggle = (id: string, isChosen: boolean): void =>
    onChange(isChosen ? [...(chosen ?? []), id] : (chosen ?? []).filter((each) => each !== id))
  const isFull = (chosen?.length ?? 0) >= max
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Phones</legend>
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-10">
        <input type="radio" name="which" checked={chosen === null} onChange={() => onChange(null)} />
        All phones of the project
      </label>
      <label className="flex min-h-7 items-center gap-2 max-md:min-h-10">
        <input type="radio" name="which" checked={chosen !== null} onChange={() => onChange([])} />
        Only certain phones, up to {max}
      </label>
      {chosen !== null && (
        <div className="grid max-h-44 overflow-y-auto rounded-md border border-border px-3 py-1.5">
          {list.data?.data.map(({ id, name }) => (
            <label key={id} className="flex min-h-7 min-w-0 items-center gap-2 max-md:min-h-10">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                disabled={isFull && !chosen.includes(id)}
                onChange={({ target }) => toggle(id, target.checked)}
              />
              <span className="truncate">{name}</span>
              <span className="font-mono text-xs text-muted">{id}</span>
            </label>
          ))}
          {list.data?.data.length === 0 && <p className="text-muted">The project has no phones yet.</p>}
        </div>
      )}
    </fieldset>
  )
}
