/** The location of the phone on a world map without tiles, so that nothing is loaded from other servers. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LocateFixed, Undo2 } from 'lucide-react'
import { useState, type MouseEvent } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../../api/client'
import { type Location } from '../../api/types'
import { Button } from '../../ui/button'
import { Loaded } from '../../ui/failed'
import { TextField } from '../../ui/field'
import { Card } from '../../ui/page'
import land from './land.svg'

interface Props {
  project: string
  phone: string
  mayChange: boolean
}

export function LocationView({ project, phone, mayChange }: Props) {
  const queries = useQueryClient()
  const queryKey = ['location', project, phone]
  const read = useQuery({
    queryKey,
    queryFn: () => call('GET /projects/:project/phones/:phone/location', { project, phone }),
    staleTime: Infinity,
    gcTime: 0,
  })
  const [given, setGiven] = useState<{ lat: string; lng: string } | null>(null)
  const change = useMutation({
    mutationFn: (act: () => Promise<Location>) => act(),
    onSuccess: ({ lat, lng }) => {
      setGiven(null)
      queries.setQueryData(queryKey, { lat, lng })
    },
    onError: (error) => void toast.error(messageOf(error)),
  })
  if (!read.data)
    return (
      <Card>
        <Loaded query={read} />
      </Card>
    )
  const shown = given ?? { lat: String(read.data.lat), lng: String(read.data.lng) }
  const wanted = { lat: Number(shown.lat), lng: Number(shown.lng) }
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(() => call('PUT /projects/:project/phones/:phone/location', { project, phone }, wanted))
      }}
    >
      <Card className="max-w-3xl">
        <WorldMap
          at={wanted}
          onChoose={
            mayChange ? ({ lat, lng }) => setGiven({ lat: lat.toFixed(3), lng: lng.toFixed(3) }) : null
          }
        />
      </Card>
      <div className="grid grid-cols-2 items-end gap-3 @xl:grid-cols-[8rem_8rem_auto]">
        {(['lat', 'lng'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'lat' ? 'Latitude' : 'Longitude'}
            inputMode="decimal"
            required
            readOnly={!mayChange}
            value={shown[name]}
            onChange={({ target }) => setGiven({ ...shown, [name]: target.value })}
          />
        ))}
        {mayChange && (
          <div className="col-span-2 flex flex-wrap gap-2 @xl:col-span-1">
            <Button type="submit" look="primary" isBusy={change.isPending} disabled={given === null}>
              <LocateFixed aria-hidden /> Set location
            </Button>
            <Button
              disabled={change.isPending}
              onClick={() =>
                change.mutate(() =>
                  call('DELETE /projects/:project/phones/:phone/location', { project, phone }),
                )
              }
            >
              <Undo2 aria-hidden /> Default
            </Button>
          </div>
        )}
      </div>
    </form>
  )
}

const steps = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) / 30 + 1 }, (_, index) => from + 30 * index)

/** An equirectangular map: a degree of longitude is as long as a degree of latitude. */
function WorldMap({ at, onChoose }: { at: Location; onChoose: ((location: Location) => void) | null }) {
  const choose = ({ currentTarget, clientX, clientY }: MouseEvent<SVGSVGElement>): void => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect()
    onChoose?.({ lng: ((clientX - left) / width) * 360 - 180, lat: 90 - ((clientY - top) / height) * 180 })
  }
  const isPlace = Math.abs(at.lat) <= 90 && Math.abs(at.lng) <= 180
  return (
    <svg
      viewBox="-180 -90 360 180"
      role="img"
      aria-label={isPlace ? `The world, with a mark at ${at.lat}, ${at.lng}` : 'The world'}
      className={onChoose ? 'block w-full cursor-crosshair bg-code' : 'block w-full bg-code'}
      onClick={choose}
    >
      <image href={land} x={-180} y={-90} width={360} height={180} />
      {steps(-150, 150).map((lng) => (
        <line
          key={`lng ${lng}`}
          x1={lng}
          x2={lng}
          y1={-90}
          y2={90}
          className="stroke-border"
          strokeWidth={0.5}
        />
      ))}
      {steps(-60, 60).map((lat) => (
        <line
          key={`lat ${lat}`}
          x1={-180}
          x2={180}
          y1={-lat}
          y2={-lat}
          className={lat === 0 ? 'stroke-control' : 'stroke-border'}
          strokeWidth={0.5}
        />
      ))}
      {steps(-60, 60).map((lat) => (
        <text key={`name ${lat}`} x={-178} y={-lat - 1.5} fontSize={5} className="fill-muted">
          {lat === 0 ? 'Equator' : `${Math.abs(lat)}° ${lat > 0 ? 'N' : 'S'}`}
        </text>
      ))}
      {steps(-120, 120).map((lng) => (
        <text key={`name ${lng}`} x={lng + 1.5} y={88} fontSize={5} className="fill-muted">
          {lng === 0 ? '0°' : `${Math.abs(lng)}° ${lng > 0 ? 'E' : 'W'}`}
        </text>
      ))}
      {isPlace && (
        <g className="stroke-danger" strokeWidth={1} fill="none">
          <circle cx={at.lng} cy={-at.lat} r={4} />
          <circle cx={at.lng} cy={-at.lat} r={1} className="fill-danger" />
        </g>
      )}
    </svg>
  )
}
