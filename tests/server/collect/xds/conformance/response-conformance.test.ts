import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPython } from '@/server/lab/python-client/find-python';
import { projectRoot } from '@/server/project-root';
import { answersOf } from '../../../../support/conformance/response-conformance';
import { responseCases } from './response-cases';

type Answers = Readonly<Record<string, readonly string[]>>;

const v2 = 'xdscope reads v2 types as their v3 types';
const wrapper = 'grpc-js-xds does not read wrappers, which xDS requires';
const crash = 'the client crashes or stops responding';
const whole = 'grpc-js-xds compares the type URL with its host';
const nameless = 'xdscope rejects a resource without a name, and the client ignores it';

/** The reasons why the requests of the probe differ from those of the real client in the cases of these titles. */
const exceptions: Readonly<Record<'core' | 'node', Readonly<Record<string, string>>>> = {
  core: {
    'no name': nameless,
    'a resource of v2': v2,
    'the type of v2': v2,
    'an empty wrapper': crash,
    'an empty wrapper after a good one': crash,
  },
  node: {
    'no name': nameless,
    'no name, broken': nameless,
    'a resource of v2': v2,
    'the type of v2': v2,
    'a resource without host': whole,
    'the type without host': whole,
    wrapped: wrapper,
    'wrapped under another name': wrapper,
    'wrapped without name': wrapper,
    'wrapped and bare of a name': wrapper,
    'an empty wrapper': wrapper,
    'an empty wrapper after a good one': wrapper,
    'a wrapper that is garbage': crash,
    'a name that is xdstp: and no more': 'grpc-js-xds rejects names that it cannot parse',
  },
};

const fixture = path.join(projectRoot, 'tests/server/collect/xds/conformance/answers.json');
const isRecording = process.env.XDSCOPE_CONFORMANCE === 'record';
const python = await findPython();

describe('the probe in the mode of a client', () => {
  it.skipIf(isRecording).each(['core', 'node'] as const)(
    'responds to whole responses as %s does',
    async (profile) => {
      const recorded = JSON.parse(readFileSync(fixture, 'utf8'))[profile] as Answers;
      const ours = await answersOf({ kind: 'ours', profile }, responseCases);
      const differing = responseCases
        .map(({ title }) => title)
        .filter((title) => JSON.stringify(ours[title]) !== JSON.stringify(recorded[title]));
      expect(differing, JSON.stringify({ ours, recorded }, null, 1)).toEqual(
        responseCases.map(({ title }) => title).filter((title) => title in exceptions[profile]),
      );
    },
    60_000,
  );

  /** Runs with XDSCOPE_CONFORMANCE=record and `vitest run -u`. */
  it.runIf(isRecording && python.kind === 'found')(
    'records the requests of the real clients',
    async () => {
      const core = await answersOf(
        { kind: 'core', python: python.kind === 'found' ? python.command : '' },
        responseCases,
      );
      const first = await answersOf({ kind: 'node' }, responseCases);
      // The streams of these cases were in back-off, so they run again in a new process.
      const mute = responseCases.filter(({ title }) => first[title]?.includes('asks for nothing'));
      const node = { ...first, ...(await answersOf({ kind: 'node' }, mute)) };
      await expect(`${JSON.stringify({ core, node }, null, 2)}\n`).toMatchFileSnapshot(fixture);
    },
    200_000,
  );
});
