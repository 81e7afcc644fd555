import { mkdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { CodecError } from '@/server/codec/codec-error';
import { encodeBody } from '@/server/codec/encode-body';
import { deriveVariants } from '../../support/builders/odd-resources/derive-variants';
import { buildOddResources } from '../../support/builders/odd-resources/odd-resources';
import { readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../../support/envoy-answers';
import { envoy } from '../envoy/peer';
import type { Prepared } from '../peer';
import { profileOfPeer } from '../peer-profile';
import type { Results } from '../results';
import { EnvoyOracle } from './envoy-oracle';

export const chapter = 'envoy-answers';

const count = 400;
/** The largest part of the sample of which the verdict may be NO_FAULT_FOUND. */
const maxUndecided = 0.4;
/** The largest part of the verdicts ACK that Envoy may contradict. */
const maxFalseAcks = 0.02;

interface Sampled {
  readonly title: string;
  readonly typeUrl: string;
  bytes(name: string): Uint8Array;
}

function pick<T>(all: readonly T[], size: number, seed: number): T[] {
  const length = Math.min(size, all.length);
  const [chosen = []] = fc.sample(fc.subarray([...all], { minLength: length, maxLength: length }), {
    ...{ seed, numRuns: 1 },
  });
  return chosen;
}

/** One variant of each recorded resource that Envoy accepts: another value in one field. */
function buildVariants(seed: number): Sampled[] {
  const accepted = readEnvoyAnswers().filter(({ answer }) => answer === 'ACK');
  return pick(accepted, count, seed).flatMap(({ service, title, resource }) => {
    const typeUrl = typeUrlOf(service);
    return pick(deriveVariants(typeUrl, resource), 1, seed).map((variant) => ({
      title: `${title}: ${variant.label}`,
      typeUrl,
      bytes: () => encodeBody(typeUrl, JSON.parse(JSON.stringify(variant.resource))),
    }));
  });
}

const types = [LDS, RDS, CDS, EDS];

/** Compares verdicts with the answers of Envoy about a seeded sample: odd resources, and variants of recorded ones. */
export async function runEnvoyAnswers(options: {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly seed: number;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { prepared, seed, results, print } = options;
  const peer = `envoy ${prepared.version}`;
  const profile = profileOfPeer(envoy, prepared);
  const of = {
    flavor: 'envoy',
    peer,
    protocol: 'sotw',
    server: 'scripted',
    chapter,
    moment: 'sample',
  } as const;
  const odd = buildOddResources().filter(({ typeUrl }) => types.some((each) => each.typeUrl === typeUrl));
  const sampled = [...pick(odd, count / 2, seed), ...pick(buildVariants(seed), count / 2, seed)];
  const counts = { compared: 0, ACK: 0, NACK: 0, NO_FAULT_FOUND: 0 };
  const falseNacks: string[] = [];
  const falseAcks: string[] = [];
  try {
    for (const { service, typeUrl } of types) {
      const dir = path.join(options.workDir, `${chapter}-${prepared.version}-${service}`);
      mkdirSync(dir, { recursive: true });
      const oracle = new EnvoyOracle(prepared, typeUrl, dir);
      for (const { title, bytes } of sampled.filter((each) => each.typeUrl === typeUrl)) {
        const body = encodeIfPossible(() => bytes(oracle.name));
        if (body === undefined) continue;
        const { verdict, findings } = validateForEnvoy(typeUrl, body, profile);
        const { answer, text } = await oracle.ask(body);
        counts.compared += 1;
        if (verdict === 'ACK' || verdict === 'NACK' || verdict === 'NO_FAULT_FOUND') counts[verdict] += 1;
        const broken = findings.filter(({ reactions }) => reactions[profile] === 'NACK');
        const rules = broken.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ');
        const line = `${service} ${title}: ${verdict} (${rules}), Envoy: ${answer} ${text.slice(-200)}`;
        if (verdict === 'NACK' && (answer === 'ACK' || answer === 'silent')) falseNacks.push(line);
        if (verdict === 'ACK' && (answer === 'NACK' || answer === 'ended')) falseAcks.push(line);
      }
      await oracle.stop();
    }
    const isRight =
      falseNacks.length === 0 &&
      falseAcks.length <= counts.ACK * maxFalseAcks &&
      counts.NO_FAULT_FOUND <= counts.compared * maxUndecided;
    if (!isRight) throw new Error([JSON.stringify(counts), ...falseNacks, ...falseAcks].join('\n'));
    print(results.pass(of));
  } catch (error) {
    print(results.fail(of, error));
  }
  for (const line of falseAcks) print(`false ACK: ${line}`);
  print(
    `${chapter}, ${peer}, seed ${seed}: ${JSON.stringify(counts)}, ${falseNacks.length} false NACK, ${falseAcks.length} false ACK`,
  );
}

/** Returns undefined for a variant that protobuf cannot encode. */
function encodeIfPossible(encode: () => Uint8Array): Uint8Array | undefined {
  try {
    return encode();
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}
