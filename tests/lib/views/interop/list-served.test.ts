import { expect, it } from 'vitest';
import type { RunStep } from '@/lib/interop/run-schema';
import { listServed } from '@/lib/views/interop/list-served';

type Served = NonNullable<RunStep['served']>[number];

const of = (service: string, name: string, json?: object): Served => ({
  ...{ server: 'primary', service, name, ...(json && { json: JSON.stringify(json) }) },
});
const stepOf = (step: number, served?: Served[]): RunStep => ({
  ...{ step, title: '', expected: '', seen: '', outcome: 'holds', ms: 0, at: 0, ...(served && { served }) },
});
const steps = [
  stepOf(1, [of('CDS', 'a', { name: 'a' }), of('EDS', 'a', { weight: 1 })]),
  stepOf(2),
  stepOf(3, [of('EDS', 'a', { weight: 2 }), of('CDS', 'b', { name: 'b' }), of('CDS', 'a')]),
  stepOf(4),
];
const shown = (step: number) =>
  listServed(steps, step).map(({ service, name, change }) => `${service} ${name} ${change}`);

it('lists what is served at the end of a step, what the step changed first', () => {
  expect(shown(1)).toEqual(['CDS a added', 'EDS a added']);
  expect(shown(2)).toEqual(['CDS a same', 'EDS a same']);
  expect(shown(3)).toEqual(['CDS b added', 'EDS a changed', 'CDS a removed']);
  expect(shown(4)).toEqual(['EDS a same', 'CDS b same']);
});

it('has the content before and after the step as indented JSON', () => {
  expect(listServed(steps, 3)[1]).toMatchObject({
    before: '{\n  "weight": 1\n}',
    after: '{\n  "weight": 2\n}',
  });
  expect(listServed(steps, 3)[2]).toMatchObject({ before: '{\n  "name": "a"\n}' });
  expect(listServed(steps, 3)[2]?.after).toBeUndefined();
});

it('is empty for a run that did not keep what was served', () => {
  expect(listServed([stepOf(1), stepOf(2)], 2)).toEqual([]);
});
