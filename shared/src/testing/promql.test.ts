import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  exportsMetric,
  expressionsOfDashboard,
  expressionsOfRules,
  metricsIn,
  metricsOf,
  selectorsIn,
  withoutFilters,
} from './promql.js'

it.each([
  ['up{job="a b"} == 0 or absent(up{job=~"phonerack_x|y"})', ['up']],
  ['sum by (le, kind) (rate(a_bucket{state!="sum(b)"}[$__rate_interval])) > 0.05', ['a_bucket']],
  ['sum(a) by (host) / on (host) group_left (name) max without (job) (c:d offset 5m) * 1e3', ['a', 'c:d']],
  ['topk(10, histogram_quantile(0.95, sum by (le) (rate(a_bucket[5m])))) unless b', ['a_bucket', 'b']],
  ['1 - a{text="\\"} b{"}', ['a']],
])('finds the metrics in %s', (expression, expected) => {
  expect([...metricsIn(expression)]).toEqual(expected)
})

it.each([
  ['up == 0 or absent(up{job="a b"})', ['up', 'up{job="a b"}']],
  ['max by (a) (b{a=~"x|y", c!="{}"}[5m] offset 1m)', ['b{a="x",c!="{}"}', 'b{a="y",c!="{}"}']],
  ['a{b=~"x.*"} / a', ['a{b=~"x.*"}', 'a']],
])('finds the selectors in %s', (expression, expected) => {
  expect([...selectorsIn(expression)]).toEqual(expected)
})

it.each([
  ['a{b!="c"} > 0', 'a{b!="c"} > bool  0'],
  ['(a < 14 and on (h) b) or c{d=~"e|f"}==1', '(a < bool  14 and on (h) b) or c{d=~"e|f"}== bool 1'],
  ['a >= bool 1', 'a >= bool 1'],
  ['rate(a{b="x > 1"}[5m])', 'rate(a{b="x > 1"}[5m])'],
])('lets the comparisons of %s return a figure', (expression, expected) => {
  expect(withoutFilters(expression)).toBe(expected)
})

it('reads every expression of deploy/monitoring', () => {
  const read = (name: string) =>
    readFileSync(path.join(import.meta.dirname, '../../../deploy/monitoring', name), 'utf8')
  const [dashboard, rules] = [read('dashboard.json'), read('alerts.yml')]
  expect(expressionsOfDashboard(dashboard)).toHaveLength(dashboard.split('"expr":').length - 1)
  expect(expressionsOfRules(rules)).toHaveLength(rules.split(' alert:').length - 1)
  const names = metricsOf(dashboard, rules)
  expect(names.filter((name) => !/^(?:up$|phonerack_)/.test(name))).toEqual([])
  // None is missed.
  const texts = [...expressionsOfDashboard(dashboard), ...expressionsOfRules(rules)].join('\n')
  expect(new Set(names)).toEqual(new Set(['up', ...(texts.match(/\bphonerack_(?!control)\w+/g) ?? [])]))
})

it('takes the three metrics of a histogram as exported, and none of another kind', () => {
  const text = '# TYPE a histogram\na_count 1\n# TYPE b_total counter\nb_total 2\n'
  expect(['a', 'a_bucket', 'a_count', 'a_sum', 'b_total'].every((name) => exportsMetric(text, name))).toBe(
    true,
  )
  expect(['b', 'b_total_count', 'c', 'a_total'].some((name) => exportsMetric(text, name))).toBe(false)
})
