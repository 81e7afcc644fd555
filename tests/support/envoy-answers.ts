import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { findUnchecked } from '@/lib/validate/find-unchecked';
import type { Verdict } from '@/lib/validate/reactions';
import {
  type ValidatedResource,
  validateResource,
  verdictOfValidated,
} from '@/lib/validate/validate-resource';
import type { Profile } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { contextOfDecoded } from '@/server/compute/validate/decoded-context';
import { projectRoot } from '@/server/project-root';

/** A resource and what Envoy 1.40.0 answered to it. */
export interface EnvoyAnswer {
  readonly service: string;
  readonly title: string;
  /** `ended`: the process crashed. `silent`: it neither answered nor ended. */
  readonly answer: 'ACK' | 'NACK' | 'silent' | 'ended';
  /** The end of the error text. */
  readonly text: string;
  readonly resource: Readonly<Record<string, unknown>>;
  /** What Envoy 1.36.2 answered, if it was another answer. */
  readonly of136?: Pick<EnvoyAnswer, 'answer' | 'text'>;
}

const file = path.join(projectRoot, 'tests/fixtures/envoy-answers/envoy-1.40.0.json.gz');

export function readEnvoyAnswers(): EnvoyAnswer[] {
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as EnvoyAnswer[];
}

export function writeEnvoyAnswers(answers: readonly EnvoyAnswer[]): void {
  writeFileSync(file, gzipSync(JSON.stringify(answers), { level: 9 }));
}

export function typeUrlOf(service: string): string {
  return [LDS, RDS, CDS, EDS].find((each) => each.service === service)?.typeUrl ?? '';
}

/** The names of the clusters that the Envoy has which answered. */
const clusters: ReadonlySet<string> = new Set(['management-server', 'plain', 'endpoints']);

/** Validates a body by the rules of an Envoy, by default of 1.40, which has the clusters of the one that answered. */
export function validateForEnvoy(
  typeUrl: string,
  bytes: Uint8Array,
  profile: Profile = 'envoy-1.40',
): ValidatedResource & { readonly verdict: Verdict } {
  const { json, v2 } = decodeBody(typeUrl, bytes, { asV3: true });
  const context = { clusters, isWithoutClient: true, ...contextOfDecoded(typeUrl, v2) };
  const findings = validateResource(typeUrl, json, context);
  const validated = { findings, unchecked: findUnchecked(typeUrl, json) };
  return { verdict: verdictOfValidated(validated, profile), ...validated };
}
