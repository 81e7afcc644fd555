import { LRUCache } from 'lru-cache';
import { parseResource, type ResourceModel } from '@/lib/model/parse-resource';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { type BrokenRule, findBrokenRule } from '@/lib/resolve/rejection';
import type { Candidate } from '@/lib/resolve/validate-row';
import type { RuleContext } from '@/lib/validate/rule';
import { validateResource } from '@/lib/validate/validate-resource';
import { clientOf, type Profile, profiles } from '@/lib/xds/profile';
import { LDS, RDS } from '@/lib/xds/resource-type';
import { boundedCache } from '../../bounded-cache';
import { readEnforcedConstraints } from '../../codec/constraints';
import { decodeBody } from '../../codec/decode-body';
import type { BodyContext, ContextKey, ContextOf } from '../../compute/validate/row-contexts';

/** The rules of gRPC clients, or of Envoy, whose constraints cost more than all others. */
type ValidationBy = 'grpc' | 'envoy';

/** A body and the type as which it is decoded, because equal bytes can be valid for two types. */
export interface BodyKey {
  readonly hash: string;
  readonly typeUrl: string;
  /** The rules for an additional validation, if any. */
  readonly validateBy?: ValidationBy;
  /** The id of the context that find() got, if any. */
  readonly contextId?: string;
  /** The JSON is wanted beside the model, and kept until the question is answered. */
  readonly asJson?: true;
}

type Broken = Partial<Readonly<Record<Profile, BrokenRule>>>;

/** The model of a body and the rules that it violates. `absent` means that no source has the body. */
type Reading =
  | {
      readonly kind: 'read';
      readonly model: ResourceModel;
      /** The rule for which each profile rejects the body. */
      readonly broken: Broken;
    }
  | { readonly kind: 'absent' };

const nothingBroken: Broken = {};
const absent: Reading = { kind: 'absent' };
const verdictsKept = 200_000;
const smallBytes = 16_384;
const routingTypes: ReadonlySet<string> = new Set([LDS.typeUrl, RDS.typeUrl]);

/** Models of bodies and the rules that they violate. Those of the current question are kept until its answer. */
export class BodyReadings {
  readonly #models = new LRUCache<string, ResourceModel>({ maxSize: 128 * 1024 * 1024 });
  /** The key is validatedName(). */
  readonly #validated = boundedCache<Broken>(verdictsKept);
  readonly #arrivedModels = new Map<string, ResourceModel | 'absent'>();
  readonly #arrivedValidated = new Map<string, Broken>();
  readonly #arrivedJson = new Map<string, unknown>();
  /** Small bodies that many clients have, such as API listeners, of which the JSON was wanted. */
  readonly #smallJson = new LRUCache<string, object>({ maxSize: 2 * 1024 * 1024 });
  #keepsJson = false;
  /** Contexts of bodies that are being read; the key is validatedName(). */
  readonly #contexts = new Map<string, RuleContext>();

  /** Returns undefined if the body must be read first. */
  find(key: BodyKey, context?: BodyContext): Reading | undefined {
    const model = this.#findModel(key);
    if (model === 'absent') return absent;
    if (key.validateBy === undefined) return model && { kind: 'read', model, broken: nothingBroken };
    const name = validatedName(key);
    const broken = this.#arrivedValidated.get(name) ?? this.#validated.get(name);
    if (model !== undefined && broken !== undefined) return { kind: 'read', model, broken };
    if (context !== undefined) this.#contexts.set(name, context.rules);
    return undefined;
  }

  take(key: BodyKey, bytes: Uint8Array): void {
    const { typeUrl, validateBy } = key;
    const { json } = decodeBody(typeUrl, bytes, { asV3: true });
    const name = readingName(key);
    if (key.asJson || (this.#keepsJson && routingTypes.has(typeUrl))) this.#arrivedJson.set(name, json);
    if (key.asJson && bytes.length <= smallBytes && typeof json === 'object' && json !== null)
      this.#smallJson.set(name, json, { size: bytes.length + 300 });
    const before = this.#findModel(key);
    const model = before === undefined || before === 'absent' ? parseResource(typeUrl, json) : before;
    this.#arrivedModels.set(name, model);
    this.#models.set(name, model, { size: bytes.length + 300 });
    if (validateBy === undefined) return;
    const validatedAs = validatedName(key);
    const context = key.contextId === undefined ? {} : this.#contexts.get(validatedAs);
    if (context === undefined) return;
    const broken = validate(typeUrl, json, validateBy, context);
    this.#arrivedValidated.set(validatedAs, broken);
    this.#validated.set(validatedAs, broken);
  }

  takeAbsent(key: BodyKey): void {
    this.#arrivedModels.set(readingName(key), 'absent');
  }

  /** Returns the proto3 JSON of a body; undefined if no source has it. A body that is not read is added to `missing`. */
  jsonOf(hash: string, typeUrl: string, missing: Map<string, BodyKey>): unknown {
    const key = { hash, typeUrl, asJson: true } as const;
    const name = readingName(key);
    const small = this.#smallJson.get(name);
    const isRead = this.#arrivedJson.has(name) || this.#arrivedModels.get(name) === 'absent';
    if (small === undefined && !isRead) missing.set(name, key);
    return small ?? this.#arrivedJson.get(name);
  }

  /** From now until the answer, the JSON of listeners and route configurations is kept when their models are read. */
  keepJson(): void {
    this.#keepsJson = true;
  }

  /** Drops the bodies of the question that was answered. */
  releaseArrived(): void {
    this.#arrivedModels.clear();
    this.#arrivedJson.clear();
    this.#keepsJson = false;
    this.#arrivedValidated.clear();
    this.#contexts.clear();
  }

  #findModel(key: BodyKey): ResourceModel | 'absent' | undefined {
    const name = readingName(key);
    return this.#arrivedModels.get(name) ?? this.#models.get(name);
  }
}

export function readingName({ hash, typeUrl }: BodyKey): string {
  return `${hash} ${typeUrl}`;
}

/** Returns the key of a missing body, which may be validated in several contexts. */
function validatedName(key: BodyKey): string {
  return `${readingName(key)} ${key.validateBy ?? ''} ${key.contextId ?? ''}`;
}

function validate(typeUrl: string, json: unknown, by: ValidationBy, context: RuleContext): Broken {
  const constraints = by === 'envoy' ? readEnforcedConstraints() : undefined;
  const findings = validateResource(typeUrl, json, { ...context, constraints });
  if (findings.length === 0) return nothingBroken;
  const broken: Partial<Record<Profile, BrokenRule>> = {};
  for (const profile of profiles) {
    const rule = findBrokenRule(findings, profile);
    if (rule !== null) broken[profile] = rule;
  }
  return broken;
}

function validateByOf(profile: Profile): ValidationBy {
  return clientOf(profile) === 'envoy' ? 'envoy' : 'grpc';
}

/** Selects how bodies are validated. Bodies that are not available yet are added to `missing`. */
export interface Validating {
  readonly profile: Profile;
  /** Set if the client is only known to have one of these profiles: all of them must reject a body. Of none, nobody does. */
  readonly possible?: readonly Profile[] | undefined;
  readonly contextOf: ContextOf;
  readonly missing: Map<string, BodyKey>;
}

export class ValidatedBodies {
  readonly #readings: BodyReadings;

  constructor(readings: BodyReadings) {
    this.#readings = readings;
  }

  /** Returns the rule for which a client of the profile would reject a body, or null for a body that is missing. */
  readValidated(
    row: ContextKey,
    candidates: readonly Candidate[],
    { profile, possible = [profile], contextOf, missing }: Validating,
  ): (hash: string) => BrokenRule | null {
    const context = candidates.length === 0 ? undefined : contextOf(row);
    const broken = new Map<string, BrokenRule>();
    for (const { hash } of candidates) {
      const key = { hash, typeUrl: row.typeUrl, validateBy: validateByOf(profile), contextId: context?.id };
      const reading = this.#readings.find(key, context);
      if (reading === undefined) missing.set(validatedName(key), key);
      const rules: Broken = reading?.kind === 'read' ? reading.broken : nothingBroken;
      const rule = possible.length === 0 ? undefined : rules[profile];
      if (rule !== undefined && possible.every((each) => rules[each] !== undefined)) broken.set(hash, rule);
    }
    return (hash) => broken.get(hash) ?? null;
  }

  /** Returns undefined if the body is missing, or if no source has it. */
  readModel(hash: string, typeUrl: string): ResourceModel | undefined {
    const reading = this.#readings.find({ hash, typeUrl });
    return reading?.kind === 'read' ? reading.model : undefined;
  }

  /** Returns the model of a body, or undefined if there is none. A body that is not available is added to `missing`. */
  modelOf(
    hash: string | undefined,
    { typeUrl }: Pick<ResourceRow, 'typeUrl'>,
    missing: Map<string, BodyKey>,
  ): ResourceModel | undefined {
    if (hash === undefined) return undefined;
    const key = { hash, typeUrl };
    const reading = this.#readings.find(key);
    if (reading === undefined) missing.set(readingName(key), key);
    return reading?.kind === 'read' ? reading.model : undefined;
  }
}
