import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isTrouble } from '@/lib/validate/reactions';
import type { RuleContext } from '@/lib/validate/rule';
import { validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { readEnforcedConstraints } from '@/server/codec/constraints';
import { decodeBody } from '@/server/codec/decode-body';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { type FoundResource, readResources } from '@/server/codec/dump-parser/read-resources';
import { capturesDir, corpusDir, hasCorpus, readCapture } from '../../support/builders/codec-corpus';
import { validateForEnvoy } from '../../support/envoy-answers';

const profile = 'envoy-1.40';

interface Tried {
  readonly sha256: string;
  readonly name: string;
  readonly files: readonly string[];
  readonly outcome: 'ACK' | 'NACK';
}

function readFound(file: string): readonly FoundResource[] {
  const bytes = readFileSync(file);
  return readResources(planReport(file.endsWith('.gz') ? gunzipSync(bytes) : bytes, {})).resources;
}

/** The violated rules if we say that Envoy has trouble with the resource; else undefined. */
function findTrouble({ typeUrl, bytes, name }: FoundResource, context: RuleContext): string | undefined {
  const { json } = decodeBody(typeUrl, bytes, { asV3: true });
  const subscribedName = typeUrl === EDS.typeUrl ? name : undefined;
  const findings = validateResource(typeUrl, json, {
    ...context,
    constraints: readEnforcedConstraints(),
    subscribedName,
  });
  if (!isTrouble(verdictOf(findings, profile))) return undefined;
  const broken = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
  return `${name}: ${broken.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ')}`;
}

const folders = [
  'captures/istio/envoy',
  'captures/istio/ambient',
  'captures/envoy-gateway',
  'captures/kuma',
  'captures/envoy/story-1.40.0-admin',
  'captures/envoy/story-1.40.0-sotw',
];

/** The dump of an Envoy that has rejected the Lua script of an EnvoyFilter has it in the listener. */
const rejectedLua = /^virtualInbound: ENVOY-lua /;

/** A warming cluster or a body in an error state can be one that the Envoy has rejected. */
const inForce = (place: string): boolean => !/dynamic_warming_clusters|error_state|warming_state/.test(place);

function dumpsIn(folder: string): string[] {
  return readdirSync(path.join(corpusDir, folder))
    .filter((file) => /config_dump/.test(file))
    .map((file) => path.join(corpusDir, folder, file));
}

/** The violated rules of what is in force in a dump. */
function findTroubles(resources: readonly FoundResource[]): string[] {
  const found = resources.filter(({ place }) => inForce(place));
  const clusters = new Set(found.filter(({ typeUrl }) => typeUrl === CDS.typeUrl).map(({ name }) => name));
  expect(found.length).toBeGreaterThan(0);
  return found.flatMap((each) => findTrouble(each, { clusters }) ?? []);
}

const moments: readonly { readonly moment: string; readonly configDump: object }[] = JSON.parse(
  readCapture('envoy', 'story-1.40.0-dumps.json').toString('utf8'),
);
/** After a rejection the dump has the rejected body of a listener in place of the one in force. */
const isRejected = ({ moment }: { readonly moment: string }): boolean => moment.includes('nack-listener');

describe('what a real Envoy runs is no NACK', () => {
  const valid = moments.filter((each) => !isRejected(each));
  it.each(valid.map(({ moment, configDump }) => [moment, configDump] as const))(
    'Envoy 1.40.0 with static clusters, read with include_eds: %s',
    (_, configDump) => {
      const { resources } = readResources(planReport(Buffer.from(JSON.stringify(configDump)), {}));
      expect(findTroubles(resources)).toEqual([]);
    },
  );

  it.each(['istio/cart-1.config_dump.json.gz', 'envoy-gateway/config_dump.json.gz'])('%s', (file) => {
    expect(findTroubles(readFound(path.join(capturesDir, file)))).toEqual([]);
  });
});

describe.skipIf(!hasCorpus)('the same over the whole corpus (skipped without ../shared/corpus)', () => {
  it.each(folders.flatMap((folder) => (hasCorpus ? dumpsIn(folder) : [])))('%s', (file) => {
    const troubles = findTroubles(readFound(file));
    const others = troubles.filter((each) => !rejectedLua.test(each));
    expect(others).toEqual([]);
    expect(troubles.length > 0).toBe(/cart-1\.nacked\./.test(file));
  });

  it('no resource of public projects that Envoy 1.40.0 ACKed', () => {
    const tried: Tried[] = JSON.parse(
      readFileSync(path.join(corpusDir, 'captures/envoy/real-bodies-1.40.0.json'), 'utf8'),
    );
    const byHash = new Map<string, FoundResource>();
    for (const file of new Set(tried.flatMap(({ files }) => files))) {
      for (const each of readFound(path.join(corpusDir, 'real', file)))
        byHash.set(createHash('sha256').update(each.bytes).digest('hex'), each);
    }
    const accepted = tried.flatMap(({ sha256, outcome }) => {
      const found = outcome === 'ACK' ? byHash.get(sha256) : undefined;
      return found === undefined ? [] : [found];
    });
    expect(accepted.length).toBeGreaterThan(230);
    expect(accepted.flatMap((each) => findTrouble(each, {}) ?? [])).toEqual([]);
    const verdicts = tried.flatMap(({ sha256, outcome }) => {
      const found = byHash.get(sha256);
      return found === undefined ? [] : [{ outcome, ...validateForEnvoy(found.typeUrl, found.bytes) }];
    });
    const acks = verdicts.filter(({ verdict }) => verdict === 'ACK');
    const undecided = verdicts.filter(({ verdict }) => verdict === 'NO_FAULT_FOUND');
    expect(acks.filter(({ outcome }) => outcome !== 'ACK').length).toBeLessThanOrEqual(acks.length * 0.02);
    expect(undecided.length).toBeLessThanOrEqual(verdicts.length * 0.3);
  });
});
