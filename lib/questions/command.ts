import type { z } from 'zod';
import type { Cost } from './question';

/** One request that changes state, or whose input is too large for a URL: POST, PUT, PATCH or DELETE. */
export interface Command<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The query of the URL; absent: none. */
  readonly query?: Query;
  /** JSON; absent: the request has no JSON body. With `mediaTypes` it only documents application/json. */
  readonly body?: Body;
  /** Media types of a body that is answered from its bytes; absent: the body is parsed as `body`. */
  readonly mediaTypes?: readonly string[];
  /** The largest body in bytes; 256 KiB unless given. */
  readonly maxBytes?: number;
  /** Absent: the answer has no body. */
  readonly answer?: Answer;
  /** The status of a success; default: 200, or 204 without an answer. */
  readonly status?: number;
  readonly cost?: Cost;
  /** Long texts in the answer are not cut. */
  readonly hasWholeTexts?: true;
}

/** Checks the type of the value and preserves its literal type. */
export function defineCommand<const C extends Command>(command: C): C {
  return command;
}

export function statusOf({ status, answer }: Command): number {
  return status ?? (answer === undefined ? 204 : 200);
}

/** "sources/{id}" has the parameter `id`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;

export interface RawBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

type Schemas = 'query' | 'body';
type SchemaOf<C extends Command, Name extends Schemas> = C extends {
  readonly [Each in Name]: infer Type extends z.ZodType;
}
  ? Type
  : undefined;
type Bytes<C extends Command, Otherwise> = C extends { readonly mediaTypes: readonly string[] }
  ? { readonly body: RawBody }
  : Otherwise;
type Written<C extends Command, Name extends Schemas> =
  SchemaOf<C, Name> extends z.ZodType
    ? { readonly [Each in Name]: z.input<SchemaOf<C, Name>> }
    : { readonly [Each in Name]?: undefined };
type Parsed<C extends Command, Name extends Schemas> =
  SchemaOf<C, Name> extends z.ZodType
    ? { readonly [Each in Name]: z.output<SchemaOf<C, Name>> }
    : { readonly [Each in Name]?: undefined };

/** The input of a caller: fields with a default are optional. */
export type CommandInput<Key extends string, C extends Command> = {
  readonly params: PathParams<Key>;
} & Written<C, 'query'> &
  Bytes<C, Written<C, 'body'>>;

export type CommandRequest<Key extends string, C extends Command> = {
  readonly params: PathParams<Key>;
  /** Aborted when the caller has left. */
  readonly signal?: AbortSignal | undefined;
} & Parsed<C, 'query'> &
  Bytes<C, Parsed<C, 'body'>>;

/** unknown: the result of the function is not sent. */
export type CommandAnswer<C extends Command> = C extends { readonly answer: infer Answer extends z.ZodType }
  ? z.output<Answer>
  : unknown;
