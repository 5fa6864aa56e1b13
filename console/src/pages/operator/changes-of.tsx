/** The newest changes of one object by operators, from the audit log. The component reads them when it is shown. */
import { useQuery } from '@tanstack/react-query'
import { call, messageOf } from '../../api/client'
import { Time } from '../../ui/time'

/** Milliseconds between two reads. */
const refreshMs = 5000

/** @param id the ID of the object */
export function ChangesOf({ id }: { id: string }) {
  const { data, error } = useQuery({
    queryKey: ['operator', 'changes', id],
    queryFn: () => call('GET /operator/audit', { target: id }),
    refetchInterval: refreshMs,
  })
  const entries = data?.data ?? []
  return (
    <section className="grid grid-cols-1 gap-2" aria-label="Changes by operators">
      <h2 className="text-[13px] font-medium">Changes by operators</h2>
      {entries.length === 0 ? (
        <p className="text-[13px] text-muted">
          {error ? messageOf(error) : data ? 'The audit log has no changes.' : 'Loading'}
        </p>
      ) : (
        <ul className="grid grid-cols-1 gap-1 text-[13px]">
          {entries.map((entry) => (
            <li key={entry.id} className="break-words">
              <Time at={entry.at} />: <span className="font-mono">{entry.action}</span>{' '}
              <bdi className="text-muted">{entry.token_name || entry.token_id}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
