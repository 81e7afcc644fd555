// Compares verdicts with the answers of Envoy about a seeded sample: odd resources, and variants of recorded resources.
import { mkdirSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { CodecError } from '@/server/codec/codec-error';
import { encodeBody } from '@/server/codec/encode-body';
import { deriveVariants } from '../../support/builders/odd-resources/derive-variants';
import { buildOddResources } from '../../support/builders/odd-resources/odd-resources';
import { readEnvoyAnswers, typeUrlOf, validateForEnvoy } from '../../support/envoy-answers';
import { preparePeer } from '../cache';
import { envoy } from '../envoy/peer';
import { EnvoyOracle } from './envoy-oracle';

const seed = 42;
const count = Number(process.argv[2] ?? 400);
const prepared = await preparePeer(envoy, '1.40.0');
const workDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-envoy-measure-'));

interface Sampled {
  readonly title: string;
  readonly typeUrl: string;
  bytes(name: string): Uint8Array;
}

function pick<T>(all: readonly T[], size: number): T[] {
  const length = Math.min(size, all.length);
  const [chosen = []] = fc.sample(fc.subarray([...all], { minLength: length, maxLength: length }), {
    ...{ seed, numRuns: 1 },
  });
  return chosen;
}

/** One variant of each recorded resource that Envoy accepts: another value in one field. */
function buildVariants(): Sampled[] {
  const accepted = readEnvoyAnswers().filter(({ answer }) => answer === 'ACK');
  return pick(accepted, count).flatMap(({ service, title, resource }) => {
    const typeUrl = typeUrlOf(service);
    return pick(deriveVariants(typeUrl, resource), 1).map((variant) => ({
      title: `${title}: ${variant.label}`,
      typeUrl,
      bytes: () => encodeBody(typeUrl, JSON.parse(JSON.stringify(variant.resource))),
    }));
  });
}

const types = [LDS, RDS, CDS, EDS];
const odd = buildOddResources().filter(({ typeUrl }) => types.some((each) => each.typeUrl === typeUrl));
const sampled = [...pick(odd, count / 2), ...pick(buildVariants(), count / 2)];
const counts = { compared: 0, ACK: 0, NACK: 0, NO_FAULT_FOUND: 0, falseNack: 0, falseAck: 0 };
for (const { service, typeUrl } of types) {
  const dir = path.join(workDir, service);
  mkdirSync(dir);
  const oracle = new EnvoyOracle(prepared, typeUrl, dir);
  for (const { title, bytes } of sampled.filter((each) => each.typeUrl === typeUrl)) {
    let body: Uint8Array;
    try {
      body = bytes(oracle.name);
    } catch (error) {
      if (error instanceof CodecError) continue;
      throw error;
    }
    const { verdict, findings } = validateForEnvoy(typeUrl, body);
    const { answer, text } = await oracle.ask(body);
    counts.compared += 1;
    if (verdict === 'ACK' || verdict === 'NACK' || verdict === 'NO_FAULT_FOUND') counts[verdict] += 1;
    const isFalseNack = verdict === 'NACK' && (answer === 'ACK' || answer === 'silent');
    const isFalseAck = verdict === 'ACK' && (answer === 'NACK' || answer === 'ended');
    if (isFalseNack) counts.falseNack += 1;
    if (isFalseAck) counts.falseAck += 1;
    if (isFalseNack || isFalseAck) {
      const rules = findings.filter(({ reactions }) => reactions['envoy-1.37'] === 'NACK');
      const broken = rules.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ');
      process.stdout.write(
        `${service} ${title}: ${verdict} (${broken}), Envoy ${answer} ${text.slice(-200)}\n`,
      );
    }
  }
  await oracle.stop();
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit(counts.falseNack === 0 && counts.falseAck <= counts.ACK * 0.02 ? 0 : 1);
