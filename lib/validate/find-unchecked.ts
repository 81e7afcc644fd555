import { type Client, clientOf, clients, type Profile } from '../xds/profile';
import { CDS, EDS, LDS, RDS } from '../xds/resource-type';
import { readTypeUrl } from '../xds/v2-types';
import { hasUncheckedOperator } from './envoy/format-operators';
import { formatsOf } from './envoy/message-rules';
import { indexMessages, messagesOf } from './envoy/messages/message-index';
import { Field } from './field';

/** A part of a resource for which the rules of some clients are not complete. */
export interface UncheckedPart {
  /** A path such as "accessLog[0].typedConfig"; '' for the whole resource. */
  readonly fieldPath: string;
  /** The full name of the message or extension that is not checked; absent for a single field. */
  readonly type?: string;
  /** The same as a sentence. */
  readonly message: string;
  readonly clients: readonly Client[];
}

/** Further parts are counted in the last one: a hostile resource can have a million. */
const maxParts = 100;
/** It is not known whether Envoy can open the file of an access log. */
const fileLog = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
const withRules = new Set([LDS.typeUrl, RDS.typeUrl, CDS.typeUrl, EDS.typeUrl]);

/**
 * The parts of a resource that could make a client reject it without violating a rule. gRPC clients read few fields of
 * four types, and rules cover all of them. For Envoy, checkedMessages lists what the rules cover.
 */
export function findUnchecked(typeUrl: string, json: unknown): UncheckedPart[] {
  const { typeUrl: type } = readTypeUrl(typeUrl);
  const resource = new Field(json);
  if (!withRules.has(type)) return [partOf(resource, clients, type.slice(type.lastIndexOf('/') + 1))];
  const formats = messagesOf(resource, type, 'envoy.config.core.v3.SubstitutionFormatString').flatMap(
    formatsOf,
  );
  const expressions = formats.filter(({ text }) => hasUncheckedOperator(text));
  const files = messagesOf(resource, type, fileLog)
    .map((log) => log.at('path'))
    .filter(({ text }) => !/^\/dev\/(?:stdout|stderr|null)$/.test(text));
  const fields = [...expressions, ...files].map((field) => ({ field }));
  const found = [...indexMessages(resource, type).unchecked, ...fields];
  const parts = found
    .slice(0, maxParts)
    .map((each) => partOf(each.field, ['envoy'], 'message' in each ? each.message : undefined));
  const left = found.length - parts.length;
  if (left === 0) return parts;
  return [...parts, { fieldPath: '', message: `${left} more parts are not checked`, clients: ['envoy'] }];
}

function partOf({ path }: Field, of: readonly Client[], type?: string): UncheckedPart {
  const text = [path || 'the resource', ...(type ? [type] : [])].join(': ');
  return { fieldPath: path, ...(type && { type }), message: `${text} is not checked`, clients: of };
}

/** The parts that are not checked for clients of the profile. */
export function uncheckedBy(profile: Profile, parts: readonly UncheckedPart[]): UncheckedPart[] {
  return parts.filter((part) => part.clients.includes(clientOf(profile)));
}
