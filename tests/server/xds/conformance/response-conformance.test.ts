import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPython } from '@/server/lab/python-client/find-python';
import { projectRoot } from '@/server/project-root';
import { answersOf } from '../../../support/conformance/response-conformance';
import { responseCases } from './response-cases';

type Answers = Readonly<Record<string, readonly string[]>>;

const v2 = 'we read v2 types as their v3 twins, for the meshes that still speak them';
const wrapper = 'grpc-js-xds does not know wrappers; we take them always, as xDS asks';
const crash = 'the client crashes, or answers no more';
const whole = 'grpc-js-xds compares the type URL whole';
const nameless = 'a resource without a name cannot be kept: we say so, the client passes over it';

/** Where the probe's answer differs from that of the real client whose mode it has, and why. */
const exceptions: Readonly<Record<'core' | 'node', Readonly<Record<string, string>>>> = {
  core: {
    'no name': nameless,
    'a resource of v2': v2,
    'the type of v2': v2,
    'a wrapper of nothing': crash,
    'a wrapper of nothing after a good one': crash,
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
    'a wrapper of nothing': wrapper,
    'a wrapper of nothing after a good one': wrapper,
    'a wrapper that is garbage': crash,
    'a name that is xdstp: and no more': 'grpc-js-xds rejects names that it cannot take apart',
  },
};

const fixture = path.join(projectRoot, 'tests/server/xds/conformance/answers.json');
const isRecording = process.env.XDSCOPE_CONFORMANCE === 'record';
const python = await findPython();

describe('the probe as a client, beside the real client', () => {
  it.skipIf(isRecording).each(['core', 'node'] as const)(
    'answers whole responses as %s does',
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

  /** With XDSCOPE_CONFORMANCE=record and `vitest run -u`. */
  it.runIf(isRecording && python.kind === 'found')(
    'has answers of the real clients',
    async () => {
      const core = await answersOf(
        { kind: 'core', python: python.kind === 'found' ? python.command : '' },
        responseCases,
      );
      const first = await answersOf({ kind: 'node' }, responseCases);
      // Its stream was in back-off: asked once more, by a new process.
      const mute = responseCases.filter(({ title }) => first[title]?.includes('asks for nothing'));
      const node = { ...first, ...(await answersOf({ kind: 'node' }, mute)) };
      await expect(`${JSON.stringify({ core, node }, null, 2)}\n`).toMatchFileSnapshot(fixture);
    },
    200_000,
  );
});
