/** The filters of the activity: a key or person, a phone, and refused requests. The page's address stores them. */
import { type ActivityFilter } from '../api/types'
import { Choice, Filters, Switch, Unlisted } from '../ui/choice'
import { useFilter } from '../ui/filter'
import { ByPhone } from './by-phone'

interface Sender {
  id: string
  name: string
}

interface Props {
  project: string
  filter: ActivityFilter
  keys: readonly Sender[]
  people: readonly Sender[]
}

export function ActivityFilters({ project, filter, keys, people }: Props) {
  const choose = useFilter(filter)
  const groups = [
    ['Keys', keys],
    ['People', people],
  ] as const
  return (
    <Filters>
      <Choice label="By" value={filter.by ?? ''} onChange={(value) => choose('by', value)}>
        <option value="">anybody</option>
        <Unlisted value={filter.by} listed={[...keys, ...people].map(({ id }) => id)} />
        {groups.map(
          ([label, senders]) =>
            senders.length > 0 && (
              <optgroup key={label} label={label}>
                {senders.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </optgroup>
            ),
        )}
      </Choice>
      <ByPhone project={project} phone={filter.phone} onChange={(value) => choose('phone', value)} />
      <Switch
        label="Only refused"
        isOn={filter.refused === true}
        onChange={(isOn) => choose('refused', isOn)}
      />
    </Filters>
  )
}
