/** A JSON value that a test or a person may read and change. */
export type JsonObject = { [key: string]: unknown };

/** A resource of the mesh as proto3 JSON. */
export interface MeshResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: JsonObject;
}
