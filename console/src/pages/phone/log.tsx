/** The newest lines of the phone's log. */
import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type LogLine } from '../../api/types'
import { Button } from '../../ui/button'
import { Failed } from '../../ui/failed'
import { SelectField } from '../../ui/field'
import { Name } from '../../ui/name'
import { Card, Loading } from '../../ui/page'

const logLevels = ['verbose', 'debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof logLevels)[number]

const isLevel = (value: string): value is LogLevel => logLevels.some((level) => level === value)

/** The time on the phone's clock in UTC, which may differ from the server's clock. */
const timeText = ({ at }: LogLine): string => at?.slice(11, 23) ?? ''

export function Log({ project, phone }: { project: string; phone: string }) {
  const [level, setLevel] = useState<LogLevel>('info')
  const list = useQuery({
    queryKey: ['logs', project, phone, level],
    queryFn: () => call('GET /projects/:project/phones/:phone/logs', { project, phone, level }),
    staleTime: Infinity,
    gcTime: 0,
  })
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SelectField
          label="Lowest level"
          value={level}
          onChange={({ target }) => isLevel(target.value) && setLevel(target.value)}
        >
          {logLevels.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <Button size="small" isBusy={list.isFetching} onClick={() => void list.refetch()}>
          <RotateCw aria-hidden /> Read again
        </Button>
      </div>
      <Card>
        {list.isPending ? (
          <Loading />
        ) : list.isError ? (
          <Failed query={list} />
        ) : list.data.data.length === 0 ? (
          <p className="p-4 text-muted">No lines of this level.</p>
        ) : (
          <ol
            aria-label="Log"
            tabIndex={0}
            className="max-h-120 overflow-auto bg-code p-3 font-mono text-xs leading-relaxed"
          >
            {list.data.data.map((line, index) => (
              <li key={index} className={/error|fatal/.test(line.level) ? 'text-danger' : ''}>
                <span className="text-muted">{timeText(line)}</span> {line.level.slice(0, 1).toUpperCase()}{' '}
                <Name>{line.tag}</Name>: <bdi className="break-words whitespace-pre-wrap">{line.message}</bdi>
              </li>
            ))}
          </ol>
        )}
      </Card>
    </div>
  )
}
