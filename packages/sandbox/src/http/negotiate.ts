/** One form that a client accepts. */
export interface AcceptedForm {
  readonly mediaType: string;
  readonly as: string;
  readonly group: string;
  readonly version: string;
}

/** Reads an `Accept` header; the first form is the one wanted most. */
export function acceptedForms(header: string): readonly AcceptedForm[] {
  if (header.trim() === "") return [{ mediaType: "*/*", as: "", group: "", version: "" }];
  return header.split(",").map((part) => {
    const [mediaType = "", ...pairs] = part.split(";").map((piece) => piece.trim());
    const parameters = new Map(pairs.map((pair) => pair.split("=", 2) as [string, string]));
    return {
      mediaType: mediaType.toLowerCase(),
      as: parameters.get("as") ?? "",
      group: parameters.get("g") ?? "",
      version: parameters.get("v") ?? "",
    };
  });
}

const jsonTypes: ReadonlySet<string> = new Set(["application/json", "*/*", "application/*"]);

/** The first accepted form that can be served: plain JSON, YAML, or one of the given transformations. */
export function chooseForm(header: string, transformations: readonly string[] = []): AcceptedForm | undefined {
  return acceptedForms(header).find(({ mediaType, as, group, version }) => {
    if (as !== "") return jsonTypes.has(mediaType) && transformations.includes(`${as}.${version}.${group}`);
    return jsonTypes.has(mediaType) || mediaType === "application/yaml";
  });
}
