import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, listOf, setList, textOf } from "../object-fields.ts";

/** Removes the reference to the token that the old cluster made for the account; the new one makes its own. */
export const restoreServiceAccount: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["serviceaccounts"] }),
  execute: async ({ item }) => ({
    item: edited(item, (account) => {
      const secrets = listOf(account["secrets"]);
      const token = secrets.findLastIndex(({ name }) => textOf(name).startsWith(`${account.metadata.name}-token-`));
      if (token >= 0) setList(account as Fields, "secrets", secrets.toSpliced(token, 1));
    }),
  }),
};
