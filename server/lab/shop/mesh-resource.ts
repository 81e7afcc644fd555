/** A JSON object that tests and users can read and change. */
export type JsonObject = { [key: string]: unknown };

/** A resource of the mesh as proto3 JSON. */
export interface MeshResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: JsonObject;
}
