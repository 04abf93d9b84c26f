import { defineWords } from "../words/define.ts";

export const words = defineWords({
  en: {
    signIn: "Sign in",
    signOut: "Sign out",
    tryAgain: "Try again",
    signedOut: "You are signed out",
    signedOutText: "Your session with the company that signs you in may go on.",
    failed: "You are not signed in",
    notOpened: "The console could not be opened",
    noClient:
      "This installation signs people in elsewhere (AUTH_ISSUER), but AUTH_CLIENT_ID names no client for the console.",
    stale: "This sign-in was started in another window or a while ago. Begin again.",
    unreachable: "The server cannot be reached. Check your connection.",
    ended: "Your session has ended",
    endedText: "Nothing is lost: sign in again, and what you were doing goes on where it was.",
    endedHint: "A window opens for it and closes by itself.",
    blockedHint:
      "The browser opened no window by itself: this opens one. Come back here afterwards.",
    closeWindow: "You are signed in. This window can be closed.",
    closeFailed: "You were not signed in. Close this window, and try again where you were.",
    notLoaded: "The console could not be loaded. Check your connection.",
    starting: "Opening the console",
  },
  fr: {
    signIn: "Se connecter",
    signOut: "Se déconnecter",
    tryAgain: "Réessayer",
    signedOut: "Vous êtes déconnecté",
    signedOutText: "Votre session auprès du fournisseur d’identité est peut-être encore ouverte.",
    failed: "Vous n’êtes pas connecté",
    notOpened: "La console n’a pas pu être ouverte",
    noClient:
      "Cette installation confie la connexion à un autre service (AUTH_ISSUER), mais AUTH_CLIENT_ID n’y désigne aucun client pour la console.",
    stale:
      "Cette connexion a été commencée dans une autre fenêtre ou il y a longtemps. Recommencez.",
    unreachable: "Le serveur est injoignable. Vérifiez votre connexion.",
    ended: "Votre session est terminée",
    endedText: "Rien n’est perdu : reconnectez-vous et tout reprend là où vous en étiez.",
    endedHint: "Une fenêtre s’ouvre et se referme d’elle-même.",
    blockedHint:
      "Le navigateur n’a pas ouvert de fenêtre de lui-même : ce bouton en ouvre une. Revenez ensuite ici.",
    closeWindow: "Vous êtes connecté. Vous pouvez fermer cette fenêtre.",
    closeFailed:
      "Vous n’avez pas été connecté. Fermez cette fenêtre et réessayez là où vous étiez.",
    notLoaded: "La console n’a pas pu être chargée. Vérifiez votre connexion.",
    starting: "Ouverture de la console",
  },
});
