import type { ResourceBody } from '@/lib/views/inspector/schema';

/** A part that could not be decoded to fields. Its bytes are in the JSON. */
export type OpaquePart = Readonly<ResourceBody['opaque'][number]>;

/** A field that the type of its message does not declare, mostly of a newer version of the type. */
export type UnknownPart = Readonly<ResourceBody['unknown'][number]>;

/** A part of a v2 type. Its JSON keeps the v2 "@type", and has the field names of the type that it is decoded as. */
export type V2Part = Readonly<ResourceBody['v2'][number]>;
