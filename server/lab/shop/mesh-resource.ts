/** A JSON object that tests and users can read and change. */
export type JsonObject = { [key: string]: unknown };

export interface MeshResource {
  readonly typeUrl: string;
  readonly name: string;
  readonly json: JsonObject;
}
