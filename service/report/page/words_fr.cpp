// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/words.hpp"

namespace valle::service::report {

const Words& french() {
  static constexpr Words words{
      .tag = "fr",
      .decimal = ",",
      .thousands = "\u202f",  // narrow no-break space
      .percent = "\u00a0%",
      .days = "j",
      .hours = "h",
      .minutes = "min",
      .weekdays = {"lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."},
      .months = {"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."},
      .date = "{0} {1} {2}",
      .title = "Rapport carbone hebdomadaire",
      .week = "Semaine {0}, du {1} au {2} (fuseau {3})",
      .revision = "Révision {0}",
      .supersedes = "remplace la révision {0}, qui est conservée",
      .filter = "seulement les travaux de {0}",
      .nothing_finished = "Aucun travail ne s’est terminé cette semaine.",
      .nothing_assessed =
          "Aucun travail de cette semaine n’a pu être évalué : l’énergie ou l’intensité du réseau est "
          "inconnue.",
      .summary_saved =
          "Les travaux évalués ont émis {0} de CO₂e. Lancés aussitôt et sur leur site habituel, ils auraient "
          "émis {1} : {2} ({3}) ont été économisés.",
      .summary_lost =
          "Les travaux évalués ont émis {0} de CO₂e. Lancés aussitôt et sur leur site habituel, ils auraient "
          "émis {1} : il a été émis {2} ({3}) de plus.",
      .uncertainty = "L’économie est connue à ± {0} près : ± {1} dus aux compteurs, ± {2} aux données du réseau.",
      .not_proven = "C’est moins que l’incertitude de ± {0} : aucune économie n’est prouvée.",
      .left_out = "Travaux sans données d’énergie ou d’intensité, hors de tout chiffre de carbone : {0}.",
      .saved = "Économisé",
      .emitted = "Émis",
      .baseline = "Aussitôt, sur place",
      .energy = "Énergie",
      .at_the_meter = "au compteur du bâtiment",
      .jobs = "Travaux",
      .shifted = "Déplacés dans le temps ou l’espace",
      .deadlines = "Échéances manquées",
      .deadlines_met = "sur {0} travaux avec échéance",
      .mean_wait = "Attente moyenne",
      .cost = "Coût aux prix du marché J-1",
      .split = "D’où vient l’économie",
      .by_time = "Attente d'heures propres",
      .by_place = "Régions plus propres",
      .by_efficiency = "Plafonds de puissance",
      .planned = "Prévu au lancement des travaux",
      .split_note = "Chaque part à l’intensité réalisée, heure par heure ; leur somme est l’économie.",
      .week_picture = "Le réseau cette semaine, et ce qui a tourné quand",
      .week_note = "Lignes : intensité carbone de chaque zone. Barres : énergie des travaux à chaque heure, par site.",
      .intensity_axis = "g CO₂e/kWh",
      .energy_axis = "kWh dans l’heure",
      .day_picture = "Économisé par jour",
      .day_note =
          "Selon le jour où le travail s’est terminé. Sous la ligne : plus d’émissions qu’aussitôt et sur place.",
      .owner_picture = "Économisé par propriétaire",
      .owner_note = "Propriétaires aux plus grandes économies ou pertes.",
      .wait_picture = "Attentes et échéances",
      .wait_note =
          "Travaux avec un début au plus tard, selon la part de l’attente permise qu’ils ont prise. La dernière barre "
          ": partis trop tard.",
      .wait_axis = "part de l’attente permise, %",
      .jobs_axis = "travaux",
      .late = "trop tard",
      .no_owner = "(sans propriétaire)",
      .other_owners = "(autres)",
      .no_data = "Il n’y a rien à montrer.",
      .owners = "Propriétaires",
      .owner = "Propriétaire",
      .assessed = "évalués",
      .saved_share = "Économie, part",
      .largest = "Les travaux qui pèsent le plus",
      .largest_note =
          "Les plus grandes économies, puis les plus grandes pertes. Toutes les lignes sont dans les formes "
          "JSON et CSV.",
      .job = "Travail",
      .site = "Exécuté à (habituel)",
      .site_alone = "Site",
      .started = "Démarré",
      .wait = "Attente",
      .inventory = "Inventaire",
      .inventory_note =
          "Ce qui a été consommé et émis sur chaque site. Une économie compare à ce qui n’a pas eu lieu : "
          "elle n’est jamais soustraite de ces chiffres.",
      .zone = "Zone",
      .location_based = "Selon le lieu",
      .market_based = "Selon le marché",
      .factor = "Facteur contractuel",
      .no_factor = "non fourni",
      .without_intensity = "non compté : {0} sans intensité réalisée",
      .coverage = "Couverture",
      .coverage_energy = "Durée avec énergie",
      .coverage_intensity = "Énergie avec intensité",
      .measured = "mesuré",
      .estimated = "estimé",
      .unknown = "inconnu",
      .fallback = "facteur annuel",
      .missing = "absent",
      .method = "Méthode",
      .data = "Données d’intensité",
      .made_by =
          "Produit par valle {0}. La méthode est dans docs/ACCOUNTING.md : chaque ligne peut être refaite à la main.",
  };
  return words;
}

}  // namespace valle::service::report
