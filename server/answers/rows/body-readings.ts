import { LRUCache } from 'lru-cache';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import { type BrokenRule, findBrokenRule } from '@/lib/resolve/rejection';
import { type ResolveProfile, resolveProfiles } from '@/lib/resolve/resolve-profile';
import type { RuleContext } from '@/lib/validate/rule';
import { validateResource } from '@/lib/validate/validate-resource';
import { readConstraints } from '../../codec/constraints';
import { decodeBody } from '../../codec/decode-body';
import type { BodyContext } from '../../validate/row-contexts';

/** Rules of gRPC's clients, or of Envoy, whose many constraints cost more than all others. */
export type ValidationBy = 'grpc' | 'envoy';

/** A body and the type that it is read as: equal bytes can be a cluster and its endpoints. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
  /** By whose rules it is validated besides; by nobody's if left out. */
  readonly validateBy?: ValidationBy;
  /** Of what its client knows besides, as find() was reported it; nothing if left out. */
  readonly contextId?: string;
}

type Broken = Partial<Readonly<Record<ResolveProfile, BrokenRule>>>;

/** What a body says, and which of its rules break whose acceptance. `absent`: nobody has the body. */
export type Reading =
  | {
      readonly kind: 'read';
      readonly model: ResourceModel;
      /** By the rules that were asked for. */
      readonly broken: Broken;
    }
  | { readonly kind: 'absent' };

const nothingBroken: Broken = {};
const absent: Reading = { kind: 'absent' };
const bodiesKept = 200_000;

/**
 * Bodies as models, with what they break. Those of the question under way stay until it is answered; of others as many
 * as fit.
 */
export class BodyReadings {
  private readonly models = new LRUCache<string, ResourceModel>({
    max: bodiesKept,
    maxSize: 128 * 1024 * 1024,
  });
  /** By validatedName(). */
  private readonly validated = new LRUCache<string, Broken>({ max: bodiesKept });
  private readonly arrivedModels = new Map<string, ResourceModel | 'absent'>();
  private readonly arrivedValidated = new Map<string, Broken>();
  /** What find() was reported bodies that are on their way, by validatedName(). */
  private readonly contexts = new Map<string, RuleContext>();

  /** undefined: the body must be asked for. */
  find(key: BodyKey, context?: BodyContext): Reading | undefined {
    const model = this.findModel(key);
    if (model === 'absent') return absent;
    if (key.validateBy === undefined) return model && { kind: 'read', model, broken: nothingBroken };
    const name = validatedName(key);
    const broken = this.arrivedValidated.get(name) ?? this.validated.get(name);
    if (model !== undefined && broken !== undefined) return { kind: 'read', model, broken };
    if (context !== undefined) this.contexts.set(name, context.rules);
    return undefined;
  }

  take(key: BodyKey, bytes: Uint8Array): void {
    const { typeUrl, validateBy } = key;
    const { json } = decodeBody(typeUrl, bytes, { asV3: true });
    const name = readingName(key);
    const before = this.findModel(key);
    const model = before === undefined || before === 'absent' ? parseResource(typeUrl, json) : before;
    this.arrivedModels.set(name, model);
    this.models.set(name, model, { size: bytes.length + 300 });
    if (validateBy === undefined) return;
    const validatedAs = validatedName(key);
    const context = key.contextId === undefined ? {} : this.contexts.get(validatedAs);
    if (context === undefined) return;
    const broken = validate(typeUrl, json, validateBy, context);
    this.arrivedValidated.set(validatedAs, broken);
    this.validated.set(validatedAs, broken);
  }

  takeAbsent(key: BodyKey): void {
    this.arrivedModels.set(readingName(key), 'absent');
  }

  /** The question is answered. */
  letGo(): void {
    this.arrivedModels.clear();
    this.arrivedValidated.clear();
    this.contexts.clear();
  }

  private findModel(key: BodyKey): ResourceModel | 'absent' | undefined {
    const name = readingName(key);
    return this.arrivedModels.get(name) ?? this.models.get(name);
  }
}

export function readingName({ hash, typeUrl }: BodyKey): string {
  return `${hash} ${typeUrl}`;
}

/** What is missing is asked for by it: one body may be validated for several who know different things. */
export function validatedName(key: BodyKey): string {
  return `${readingName(key)} ${key.validateBy ?? ''} ${key.contextId ?? ''}`;
}

function validate(typeUrl: string, json: unknown, by: ValidationBy, context: RuleContext): Broken {
  const constraints = by === 'envoy' ? readConstraints() : undefined;
  const findings = validateResource(typeUrl, json, { ...context, constraints });
  if (findings.length === 0) return nothingBroken;
  const broken: Partial<Record<ResolveProfile, BrokenRule>> = {};
  for (const profile of resolveProfiles) {
    const rule = findBrokenRule(findings, profile);
    if (rule !== null) broken[profile] = rule;
  }
  return broken;
}

export function validateByOf(profile: ResolveProfile): ValidationBy {
  return profile === 'envoy' ? 'envoy' : 'grpc';
}
