/**
 * The filters of the list of phones: state, the key that created the phones, and metadata. The page's address stores
 * them.
 */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client'
import { type PhoneFilter, type PhonesView } from '../api/types'
import { Choice, Typed, Unlisted } from '../ui/choice'
import { useFilter } from '../ui/filter'
import { searchOf } from './phones-view'
import { StateChoice } from './state-choice'

const metadataProblem = (text: string): string | null => (/^[^=]+=/.test(text) ? null : 'Write name=value.')

interface FiltersProps {
  project: string
  filter: PhoneFilter
  view: PhonesView
}

export function PhoneFilters({ project, filter, view }: FiltersProps) {
  const choose = useFilter(searchOf(filter, view))
  const keys = useQuery({
    queryKey: ['keys', project],
    queryFn: () => call('GET /projects/:project/keys', { project }),
  })
  const known = keys.data?.data ?? []
  return (
    <>
      <StateChoice value={filter.status} onChange={(value) => choose('status', value)} />
      <Choice label="Key" value={filter.key ?? ''} onChange={(value) => choose('key', value)}>
        <option value="">any</option>
        <Unlisted value={filter.key} listed={known.map(({ id }) => id)} />
        {known.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Typed
        label="Metadata"
        value={filter.metadata ?? ''}
        placeholder="name=value"
        maxLength={700}
        check={metadataProblem}
        onChange={(value) => choose('metadata', value)}
      />
    </>
  )
}
