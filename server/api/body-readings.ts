import { LRUCache } from 'lru-cache';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import { type BrokenRule, findBrokenRule } from '@/lib/resolve/refusal';
import { type ResolveProfile, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { validateResource } from '@/lib/validate/validate-resource';
import { readConstraints } from '../codec/constraints';
import { decodeBody } from '../codec/decode-body';

/** Rules of gRPC's clients, or of Envoy, whose many constraints cost more than all others. */
export type JudgeBy = 'grpc' | 'envoy';

/** A body and the type that it is read as: equal bytes can be a cluster and its endpoints. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
  /** By whose rules it is judged besides; by nobody's if left out. */
  readonly judgeBy?: JudgeBy;
}

type Broken = Partial<Readonly<Record<ResolveProfile, BrokenRule>>>;

/** What a body says, and which of its rules break whose acceptance. `absent`: nobody has the body. */
export type Reading =
  | {
      readonly kind: 'read';
      readonly model: ResourceModel;
      readonly broken: Partial<Record<JudgeBy, Broken>>;
    }
  | { readonly kind: 'absent' };

const nothingBroken: Broken = {};
const unjudged: Partial<Record<JudgeBy, Broken>> = {};
const absent: Reading = { kind: 'absent' };

/**
 * Bodies as models, with what they break. Those of the question under way stay until it is answered; of others as many
 * as fit.
 */
export class BodyReadings {
  private readonly kept = new LRUCache<string, Reading & { kind: 'read' }>({
    max: 200_000,
    maxSize: 128 * 1024 * 1024,
  });
  private readonly arrived = new Map<string, Reading>();

  /** undefined: the body must be asked for. */
  find(key: BodyKey): Reading | undefined {
    const name = readingName(key);
    const reading = this.arrived.get(name) ?? this.kept.get(name);
    if (reading?.kind !== 'read' || key.judgeBy === undefined) return reading;
    return reading.broken[key.judgeBy] === undefined ? undefined : reading;
  }

  take(key: BodyKey, bytes: Uint8Array): void {
    const { typeUrl, judgeBy } = key;
    const name = readingName(key);
    const before = this.arrived.get(name) ?? this.kept.get(name);
    const { json } = decodeBody(typeUrl, bytes, { asV3: true });
    const isRead = before?.kind === 'read';
    const model = isRead ? before.model : parseResource(typeUrl, json);
    const broken = isRead ? before.broken : unjudged;
    const reading = {
      kind: 'read',
      model,
      broken: judgeBy === undefined ? broken : { ...broken, [judgeBy]: judge(typeUrl, json, judgeBy) },
    } as const;
    this.arrived.set(name, reading);
    this.kept.set(name, reading, { size: bytes.length + 300 });
  }

  takeAbsent(key: BodyKey): void {
    this.arrived.set(readingName(key), absent);
  }

  /** The question is answered. */
  letGo(): void {
    this.arrived.clear();
  }
}

export function readingName({ hash, typeUrl }: BodyKey): string {
  return `${hash} ${typeUrl}`;
}

function judge(typeUrl: string, json: unknown, by: JudgeBy): Broken {
  const findings = validateResource(typeUrl, json, by === 'envoy' ? { constraints: readConstraints() } : {});
  if (findings.length === 0) return nothingBroken;
  const broken: Partial<Record<ResolveProfile, BrokenRule>> = {};
  for (const profile of resolveProfiles) {
    const rule = findBrokenRule(findings, profile);
    if (rule !== null) broken[profile] = rule;
  }
  return broken;
}

export function judgeByOf(profile: ResolveProfile): JudgeBy {
  return profile === 'envoy' ? 'envoy' : 'grpc';
}
